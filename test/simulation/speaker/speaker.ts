import { toBase64url } from '#platform'
import { parsePlain, sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { deriveKeys, passwordOf } from '../../../protocol/keys.ts'
import { ack as ackSchema } from '../../../protocol/messages/ack.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import { refusedDelayMs, retryDelayMs } from '../../../simulator/speaker/connection/backoff.ts'
import { readIncoming } from '../../../simulator/speaker/connection/incoming.ts'
import { createKeyChoice } from '../../../simulator/speaker/connection/key-choice.ts'
import type { step } from '../../../simulator/speaker/device/device.ts'
import type { Effect, UpMessage } from '../../../simulator/speaker/device/state/effects.ts'
import type { DeviceEvent, LinkEnd } from '../../../simulator/speaker/device/state/events.ts'
import type { Fault } from '../../../simulator/speaker/device/state/faults.ts'
import type { SpeakerEvent } from '../../../simulator/speaker/device/state/speaker-events.ts'
import {
  DEFAULT_CONFIG,
  type DeviceConfig,
  type DeviceState,
  switchedOn,
} from '../../../simulator/speaker/device/state/state.ts'
import { dueAtMs } from '../../../simulator/speaker/device/timers.ts'
import { FACTORY_MEMORY, keyringOf, volatileMemory } from '../../../simulator/speaker/memory/memory.ts'
import type { Departure } from '../hub/socket.ts'
import type { Dice } from '../kit/dice.ts'
import { BEGINNING } from '../kit/timeline.ts'
import { type Line, type LineDeps, openLine } from './line.ts'
import type { Weather } from './weather.ts'

/** As the speaker's connection: a hub that sends no welcome for so long is not one to wait for (sb/1 10.2). */
const WELCOME_TIMEOUT_MS = 30_000

/** What somebody beside the speaker would write down. */
export interface Witness {
  /** Written down as played: the sound begins, unless the power fails in this very moment (sb/1 12.2). */
  begun(serial: string, n: number): void
  /** The sound has begun. `lagMs` is how far the speaker's reckoning may be behind the hub's clock (sb/1 11.5). */
  heard(serial: string, announced: Extract<SpeakerEvent, { event: 'announce' }>, lagMs: number): void
  happened(serial: string, event: SpeakerEvent): void
  /** An announcement has come, in the speaker's session. */
  got(serial: string, n: number): void
  /** The line has lost the ack `played` of this number, and stands. */
  receiptLost(serial: string, n: number): void
  /** The PUBACK for the ack of a notice of missed payments has come, in the session of the notice. */
  missedConfirmed(serial: string, sum: string): void
  /** Its memory is gone: it is as it left the factory. */
  forgotten(serial: string): void
}

export interface SpeakerDeps {
  serial: string
  key: Buffer
  config: Partial<DeviceConfig>
  faults: readonly Fault[]
  /** Its own clock minus the hub's, milliseconds. */
  clockAheadMs: number
  hub: LineDeps['hub']
  watch: LineDeps['watch']
  clock: Clock
  dice: Dice
  weather: Weather
  witness: Witness
  step: typeof step
}

/** The simulator's device on a simulated line, with a switch, a memory and a plug that can be pulled. */
export interface SimulatedSpeaker {
  readonly serial: string
  /** Its amplifier works: what it takes it says. */
  readonly canSpeak: boolean
  switchOn(): void
  /** The hub notices that it is gone after so long, or after a time that is drawn. */
  cutPower(noticedAfterMs?: number): void
  /** Pulls the plug when it has written something down for the n-th time from now, before anything else happens. */
  cutPowerAtWrite(nth: number): void
  /** Cuts the power, and what it had written down is lost. */
  forget(): void
  /** It is on from now on, and its next attempt to connect is at once. */
  heal(): void
  /** The line that stands or is being made. */
  line(): Line | undefined
  /** Since when, by the world's `elapsed`, it is welcomed on a line that is without a flaw; undefined when it is not. */
  wellSince(): number | undefined
  state(): DeviceState | undefined
}

export function createSpeaker(deps: SpeakerDeps): SimulatedSpeaker {
  const { serial, faults, clock, dice, witness } = deps
  const config = { ...DEFAULT_CONFIG, ...deps.config }
  let memory = volatileMemory()
  let state: DeviceState | undefined
  let line: Line | undefined
  let sid = ''
  let keys = deriveKeys(deps.key)
  const keyChoice = createKeyChoice(() => keyringOf(memory.load(), deps.key))
  let failures = 0
  let welcomedAt: number | undefined
  let welcomeN = -1
  let lagMs = 0
  /** Writes until the plug is pulled; 0: it is not. */
  let writesLeft = 0
  /** The notice of missed payments that came last. */
  let notice: { sid: string; id: string; sum: string } | undefined
  let cancelTick = () => {}
  let cancelTimer = () => {}
  /** A quartz of its own, which nobody sets. */
  const nowMs = () => BEGINNING + clock.elapsed() + deps.clockAheadMs

  function connect() {
    sid = dice.hex(16)
    welcomeN = -1
    const key = keyChoice.pick()
    keys = deriveKeys(key)
    tell({ type: 'connecting', nowMs: nowMs() })
    const hello = { serial, sid, password: passwordOf(keys) }
    const { hub, weather, watch } = deps
    const mine = { sid }
    const isMine = () => mine.sid === sid
    line = openLine({
      ...{ hub, clock, dice, weather, watch, hello },
      listener: {
        opened() {
          cancelTimer = clock.after(WELCOME_TIMEOUT_MS, () => giveUp())
          keyChoice.admitted()
          tell({ type: 'opened', sid, key: toBase64url(key), nowMs: nowMs() })
        },
        message: (payload, left) => isMine() && receive(payload, left),
        lost(payload) {
          const opened = parsePlain(payload)
          const parsed = ackSchema.safeParse(opened.ok ? opened.body : undefined)
          if (parsed.data?.st === 'played') witness.receiptLost(serial, parsed.data.n)
        },
        ended: (why) => isMine() && ended(why),
      },
    })
  }

  /** A hub that takes connections and says nothing is left, and tried again later. */
  function giveUp() {
    line?.hangUp()
    ended('lost')
  }

  function ended(why: 'lost' | 'refused') {
    cancelTimer()
    line = undefined
    welcomedAt = undefined
    failures += 1
    const isOther = why === 'refused' && keyChoice.refused()
    const retryInMs = isOther
      ? 0
      : why === 'refused'
        ? refusedDelayMs(dice.fraction)
        : retryDelayMs(failures, dice.fraction)
    const end: LinkEnd = why === 'refused' ? { reason: 'refused', code: 4 } : { reason: 'lost' }
    tell({ type: 'closed', end, retryInMs, nowMs: nowMs() })
    if (state) cancelTimer = clock.after(retryInMs, connect)
  }

  function receive(payload: Buffer, left: Departure) {
    const { incoming: heard } = readIncoming(keys.down, { serial, sid }, payload)
    if (heard.type === 'ignored') return witness.happened(serial, { event: 'ignored', reason: heard.reason })
    if (heard.type === 'command' && heard.command.t === 'welcome') {
      cancelTimer()
      failures = 0
      welcomedAt ??= clock.elapsed()
      // Only a newer welcome of the session turns the clock (sb/1 11.7).
      if (heard.command.n > welcomeN)
        lagMs = clock.elapsed() - left.elapsed + left.now - heard.command.d.now * 1000
      welcomeN = Math.max(welcomeN, heard.command.n)
    }
    if (heard.type === 'command' && heard.command.t === 'missed')
      notice = { sid, id: heard.command.id, sum: heard.command.d.amount }
    if (heard.type === 'command' && heard.command.t === 'announce') witness.got(serial, heard.command.n)
    tell({ ...heard, nowMs: nowMs() })
  }

  function tell(event: DeviceEvent) {
    if (!state) return
    const next = deps.step(state, event)
    state = next.state
    for (const effect of next.effects) {
      perform(effect)
      // The power was cut in the middle of it.
      if (!state) return
    }
    planTick()
  }

  function perform(effect: Effect) {
    switch (effect.type) {
      case 'publish':
        return publish(effect.message)
      case 'persist': {
        const before = memory.load().played
        const isDoomed = writesLeft > 0
        memory.save(effect.memory)
        if (effect.memory.played !== before) witness.begun(serial, effect.memory.played)
        writesLeft = Math.max(0, writesLeft - 1)
        if (isDoomed && writesLeft === 0) self.cutPower()
        return
      }
      case 'emit':
        if (effect.event.event === 'announce') witness.heard(serial, effect.event, lagMs)
        return witness.happened(serial, effect.event)
      case 'reconnect':
        // The simulator says `bye` first; a broker may lose that.
        line?.hangUp(dice.between(0, 1_000))
        return ended('lost')
      case 'restart':
        throw new Error('nobody offers firmware in this world')
      case 'switch_off':
        // Of a battery that is empty: one of the faults, which this world does not know.
        return self.cutPower()
    }
  }

  function publish(message: UpMessage) {
    const { kind, body } = message
    const payload =
      kind === 'telemetry'
        ? Buffer.from(JSON.stringify(body))
        : sealFrame(keys.up, upPrefix(serial, sid, kind), body)
    const session = sid
    line?.publish(kind, payload, () => {
      if (message.kind !== 'ack' || session !== sid) return
      const { id, st } = message.body
      if (st === 'shown' && notice?.id === id && notice.sid === sid)
        witness.missedConfirmed(serial, notice.sum)
      tell({ type: 'ack_stored', token: message.token, nowMs: nowMs() })
    })
  }

  function planTick() {
    cancelTick()
    const dueMs = state && dueAtMs(state)
    if (dueMs === undefined) return
    cancelTick = clock.after(dueMs - nowMs(), () => tell({ type: 'tick', nowMs: nowMs() }))
  }

  const self: SimulatedSpeaker = {
    serial,
    canSpeak: !faults.includes('broken-audio'),

    switchOn() {
      if (state) return
      state = switchedOn(memory.load(), config, faults)
      failures = 0
      keyChoice.restart()
      connect()
    },

    cutPower(noticedAfterMs) {
      if (!state) return
      cancelTick()
      cancelTimer()
      line?.hangUp(noticedAfterMs)
      line = undefined
      state = undefined
      welcomedAt = undefined
      writesLeft = 0
      sid = ''
    },

    cutPowerAtWrite(nth) {
      writesLeft = nth
    },

    forget() {
      self.cutPower()
      // Serial and keys are in a place of their own (sb/1 2.1).
      const { keys: kept } = memory.load()
      memory = volatileMemory({ ...FACTORY_MEMORY, ...(kept && { keys: kept }) })
      witness.forgotten(serial)
    },

    heal() {
      writesLeft = 0
      self.switchOn()
      if (line) return
      cancelTimer()
      connect()
    },

    line: () => line,
    wellSince: () =>
      line?.isFlawless() && !line.hub()?.isFrozen() && welcomedAt !== undefined
        ? Math.max(welcomedAt, line.disturbedAt())
        : undefined,
    state: () => state,
  }
  return self
}
