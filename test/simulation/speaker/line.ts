import { downTopic, UP_QOS, type UpKind } from '../../../protocol/topics.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import type { DownPacket } from '../../support/mqtt/packets.ts'
import type { Hub } from '../hub/hub.ts'
import { type Departure, type Hello, KEEPALIVE_S, openSocket, type Socket } from '../hub/socket.ts'
import type { Dice } from '../kit/dice.ts'
import type { GateWatch } from '../oracle/gate.ts'
import { drawPassage, PROMPT_MS, type Weather } from './weather.ts'

/** One and a half keepalives: either side gives up a line on which it hears nothing for so long (MQTT 3.1.1, 3.1.2.10). */
const GIVE_UP_MS = 1.5 * KEEPALIVE_S * 1_000
/** A broker that does not notice in time that a device is silent notices by then. */
const LATEST_NOTICE_MS = 300_000
/** A will comes this late at most. */
const LATE_WILL_MS = 5_000
/** A device waits so long for a CONNACK. */
const CONNECTED_WITHIN_MS = 10_000
/** A device pings this often. */
const PING_EVERY_MS = 0.8 * KEEPALIVE_S * 1_000

export interface LineListener {
  /** The SUBACK is here. */
  opened(): void
  /** A PUBLISH on the down topic has come. */
  message(payload: Buffer, left: Departure): void
  /** A message of the device got lost, and the line stands. */
  lost(payload: Uint8Array): void
  /** Exactly once, unless the device hangs up: there is no line, or no longer. */
  ended(why: 'lost' | 'refused'): void
}

/** One connection of a device over a network that loses, delays and doubles, and that breaks with or without a sign. */
export interface Line {
  /** Sends; `stored` is called when the PUBACK is here. */
  publish(kind: UpKind, payload: Uint8Array, stored: () => void): void
  /** Breaks it: what is under way is lost, and both ends notice before long. */
  break(): void
  /** Breaks it so that the device notices at once, and the hub after minutes. */
  slip(): void
  /** Breaks it in silence: both ends go on as if it stood, until their patience ends. */
  goDead(): void
  /** The device reads nothing for a time. */
  stall(ms: number): void
  /** The hub may close it for a reason that is not the device's. */
  mayBeClosed(): void
  /** The device is gone, without a word. The hub notices after so long, or after a time that is drawn. */
  hangUp(noticedAfterMs?: number): void
  /** Nothing was lost or late so far. */
  isFlawless(): boolean
  /** The hub that it leads to. */
  hub(): Hub | undefined
  /** Its hub has been no good until now. */
  disturb(): void
  /** When its hub was last no good, by `elapsed`. */
  disturbedAt(): number
}

export interface LineDeps {
  /** A hub that is there now; undefined while there is none. */
  hub: (serial: string) => Hub | undefined
  clock: Clock
  dice: Dice
  weather: Weather
  watch: GateWatch
  hello: Hello
  listener: LineListener
}

export function openLine(deps: LineDeps): Line {
  const { clock, dice, weather, hello, listener } = deps
  let state: 'connecting' | 'open' | 'ended' = 'connecting'
  /** Nothing passes any more, in either direction. */
  let isDead = false
  let flawless = true
  let hub: Hub | undefined
  let disturbedAt = Number.NEGATIVE_INFINITY
  let socket: Socket | undefined
  let messageId = 0
  const unconfirmed = new Map<number, () => void>()
  let cancelPing = () => {}
  /** MQTT keeps the order within a topic on one connection, and TCP that of all. */
  const lastArrival = { up: 0, down: 0 }

  function end(why: 'lost' | 'refused') {
    if (state === 'ended') return
    state = 'ended'
    isDead = true
    cancelPing()
    listener.ended(why)
  }

  /** Carries something over, in order with what went before; what breaks the line on the way loses it. */
  function carry(way: 'up' | 'down', arrive: () => void, onLost?: () => void) {
    const { delayMs, lost, doubled } = drawPassage(dice, weather)
    if (lost || delayMs > PROMPT_MS) flawless = false
    if (lost) socket?.mayBeClosed()
    if (lost && !isDead) onLost?.()
    if (lost || isDead) return
    const arriveAt = Math.max(lastArrival[way], clock.elapsed() + delayMs)
    lastArrival[way] = arriveAt
    const deliver = () => {
      if (!isDead) arrive()
    }
    clock.after(arriveAt - clock.elapsed(), deliver)
    if (doubled) clock.after(arriveAt - clock.elapsed(), deliver)
  }

  function receive(packet: DownPacket, left: Departure) {
    carry('down', () => {
      if (packet.cmd === 'publish') return listener.message(packet.payload, left)
      unconfirmed.get(packet.messageId)?.()
      unconfirmed.delete(packet.messageId)
    })
  }

  async function connect() {
    if (isDead) return end('lost')
    hub = deps.hub(hello.serial)
    if (!hub) return end('lost')
    // A CONNECT that nobody answers is given up.
    if (hub.isFrozen()) clock.after(CONNECTED_WITHIN_MS, () => state === 'connecting' && breakOff(0))
    socket = openSocket({
      ...{
        hub,
        clock,
        hello,
        watch: deps.watch,
        willLateByMs: dice.chance(0.5) ? 0 : dice.between(1, LATE_WILL_MS),
      },
      far: { packet: receive, closed: () => breakOff(1_000) },
    })
    const answer = await socket.connect()
    if (answer !== 'admitted') return end(answer === 'refused' ? 'refused' : 'lost')
    // Broken while it was being made: the hub will notice as late as that of any line.
    if (isDead) return hubNotices(GIVE_UP_MS)
    clock.after(dice.between(5, PROMPT_MS), () => {
      if (isDead || state !== 'connecting') return
      socket?.subscribe(downTopic(hello.serial))
      state = 'open'
      ping()
      listener.opened()
    })
  }

  function ping() {
    if (!isDead) socket?.ping()
    cancelPing = clock.after(PING_EVERY_MS, ping)
  }

  function hubNotices(withinMs: number) {
    clock.after(dice.between(0, withinMs), () => socket?.lost())
  }

  /** Now and then the broker fails to notice in time. */
  function hubNoticesSilence() {
    hubNotices(dice.chance(0.7) ? GIVE_UP_MS : LATEST_NOTICE_MS)
  }

  /** Nothing passes from here on; the device notices within a while. */
  function breakOff(withinMs: number) {
    isDead = true
    flawless = false
    clock.after(dice.between(0, withinMs), () => end('lost'))
  }

  clock.after(dice.between(5, PROMPT_MS), () => void connect())

  return {
    isFlawless: () => flawless && !isDead,
    hub: () => hub,
    disturb() {
      disturbedAt = clock.elapsed()
    },
    disturbedAt: () => disturbedAt,

    publish(kind, payload, stored) {
      messageId += 1
      const id = messageId
      if (UP_QOS[kind] === 1) unconfirmed.set(id, stored)
      carry(
        'up',
        () => socket?.publish(kind, payload, id),
        () => listener.lost(payload),
      )
    },

    break() {
      hubNotices(1_000)
      breakOff(1_000)
    },

    slip() {
      hubNotices(LATEST_NOTICE_MS)
      breakOff(500)
    },

    goDead() {
      hubNoticesSilence()
      breakOff(GIVE_UP_MS)
    },

    stall(ms) {
      flawless = false
      socket?.stall()
      clock.after(ms, () => socket?.resume())
    },

    mayBeClosed: () => socket?.mayBeClosed(),

    hangUp(noticedAfterMs) {
      state = 'ended'
      isDead = true
      flawless = false
      cancelPing()
      if (noticedAfterMs === undefined) hubNoticesSilence()
      else clock.after(noticedAfterMs, () => socket?.lost())
    },
  }
}
