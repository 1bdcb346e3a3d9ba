import { randomBytes } from 'node:crypto'
import { connect as connectTo } from 'node:net'
import { downPrefix, openFrame, sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { deriveKeys } from '../../../protocol/keys.ts'
import type { AckStage } from '../../../protocol/messages/ack.ts'
import { type AnyCommand, FINAL_STAGE, parseCommand } from '../../../protocol/messages/command.ts'
import { refusedDelayMs, retryDelayMs } from '../../../simulator/speaker/connection/backoff.ts'
import { type Line, openLine } from '../../support/mqtt/light-line.ts'
import type { Note } from '../../support/proof/history.ts'
import type { Ear } from './ear.ts'
import type { Shop } from './world.ts'

export interface LightSpeaker extends Ear {
  /** Connects, and comes back after every loss as the protocol says. */
  start(): void
  /** Hangs: reads nothing, pings nobody, and does not notice that its line ends. */
  freeze(): void
  thaw(): void
  /** When it was last welcomed, by `performance.now()`. */
  welcomedAt: number
}

/** What a light speaker knows of its shop. */
type LightShop = Pick<Shop, 'serial' | 'key' | 'terminalID'>

export interface LightOptions {
  url: string
  random: () => number
  /** Gets what the speaker speaks and shows, and how it is connected. */
  note?: Note
  keepaliveS?: number
}

const KEEPALIVE_S = 60
/** A hub that sends no welcome for so long is not one to wait for (sb/1 10.2). */
const WELCOME_TIMEOUT_MS = 30_000

/**
 * A speaker that keeps to sb/1 in what it says and hears, with no screen, no time for a sentence and no library: a
 * thousand cost what a few of the simulator's do. It speaks a number above the last one that it has spoken (sb/1 7.5),
 * refuses what is late (sb/1 7.7), says its acks again that were not confirmed (sb/1 7.4), and comes back with full
 * jitter (sb/1 1.6).
 */
export function createLightSpeaker(
  { serial, key, terminalID }: LightShop,
  { url, random, note = () => undefined, keepaliveS = KEEPALIVE_S }: LightOptions,
): LightSpeaker {
  const keys = deriveKeys(key)
  const { hostname, port } = new URL(url)
  /** The last stage of each command whose ack was not confirmed. */
  const unconfirmed = new Map<string, { n: number; st: AckStage; failed?: 'expired' }>()
  let played = 0
  let failures = 0
  let hubAheadMs = 0
  let sid = ''
  let line: Line | undefined
  let retry: NodeJS.Timeout | undefined
  let tired: NodeJS.Timeout | undefined
  let isFrozen = false
  let isStopped = false

  const self = {
    ...{ terminalID, sessions: 0, online: false, welcomedAt: 0 },
    start: connect,
    freeze() {
      isFrozen = true
      // One that has just lost its line does not come back either.
      clearTimeout(retry)
      line?.freeze()
    },
    thaw() {
      isFrozen = false
      if (line) line.thaw()
      else connect()
    },
    async stop() {
      isStopped = true
      clearTimeout(retry)
      line?.close()
    },
  }

  function connect() {
    tired = setTimeout(() => line?.close(), WELCOME_TIMEOUT_MS)
    sid = randomBytes(8).toString('hex')
    line = openLine({
      ...{ serial, keys, keepaliveS, sid, pingEveryMs: (keepaliveS * 1000) / 2 },
      socket: connectTo({ host: hostname, port: Number(port), noDelay: true }),
      opened: sayBirth,
      message: hear,
      stored: (tag) => void unconfirmed.delete(tag),
      ended,
    })
  }

  function ended(refusedBy: number | undefined) {
    clearTimeout(tired)
    line = undefined
    if (self.online) note({ kind: 'offline', terminalID })
    self.online = false
    if (isStopped || isFrozen) return
    failures += 1
    const isRefused = refusedBy === 4 || refusedBy === 5
    retry = setTimeout(connect, isRefused ? refusedDelayMs(random) : retryDelayMs(failures, random))
  }

  function say(kind: 'birth' | 'ack', body: object, tag?: string) {
    line?.publish(kind, Buffer.from(sealFrame(keys.up, upPrefix(serial, sid, kind), body)), tag)
  }

  function sayBirth() {
    say('birth', {
      t: 'birth',
      sid,
      fw: '1.0',
      model: 'light',
      caps: ['speaker'],
      lang: ['vi'],
      rx: 2048,
      played,
    })
  }

  function ack({ id, n }: Pick<AnyCommand, 'id' | 'n'>, st: AckStage, failed?: 'expired') {
    unconfirmed.set(id, { n, st, ...(failed && { failed }) })
    say('ack', { t: 'ack', id, n, st, ...(failed && { rc: failed }) }, id)
  }

  function hear(payload: Buffer) {
    const opened = openFrame(keys.down, downPrefix(serial, sid), payload)
    const parsed = opened.ok ? parseCommand(opened.body) : undefined
    if (parsed?.kind !== 'command') return
    const { command } = parsed
    if (command.t === 'welcome') return welcomed(command)
    if (!self.online) return
    if (command.t === 'announce') return speak(command)
    if (command.t === 'missed')
      note({ kind: 'shown', terminalID, count: command.d.count, sum: command.d.amount })
    ack(command, FINAL_STAGE[command.t])
  }

  function welcomed(command: AnyCommand & { t: 'welcome' }) {
    hubAheadMs = command.d.now * 1000 - Date.now()
    clearTimeout(tired)
    failures = 0
    if (!self.online) {
      self.online = true
      note({ kind: 'online', terminalID })
      self.sessions += 1
      self.welcomedAt = performance.now()
      for (const [id, { n, st, failed }] of unconfirmed) ack({ id, n }, st, failed)
    }
    ack(command, 'received')
  }

  function speak(command: AnyCommand & { t: 'announce' }) {
    const { n, at, ttl, d } = command
    if (n <= played) return ack(command, 'played')
    if (Date.now() + hubAheadMs > (at + ttl) * 1000) return ack(command, 'failed', 'expired')
    ack(command, 'received')
    played = n
    note({ kind: 'heard', terminalID, amount: d.amount })
    ack(command, 'played')
  }

  return self
}

/** The light speakers of some shops, and how they are switched on. */
export function createLightSpeakers(shops: readonly LightShop[], options: LightOptions): LightSpeaker[] {
  return shops.map((shop) => createLightSpeaker(shop, options))
}
