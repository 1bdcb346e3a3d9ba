import type { Birth } from '../../../protocol/messages/birth.ts'
import type { Command } from '../../../protocol/messages/command.ts'
import { toUnixSeconds } from '../../../protocol/messages/fields.ts'
import type { Telemetry } from '../../../protocol/messages/telemetry.ts'
import { ackRepeat, ackStage, resendAcks, withoutReceived } from './acks.ts'
import { confirmKey } from './rekey.ts'
import { unlink } from './screens.ts'
import { reportUnlessKnown } from './settings.ts'
import type { DeviceEvent } from './state/events.ts'
import { firmwareOf, receiveBufferOf } from './state/hardware.ts'
import { ownClockMs } from './state/hub-time.ts'
import { chain, type DeviceState, emit, noEffects, publish, type Step, type Timer } from './state/state.ts'
import { vitalsOf } from './vitals.ts'

/** Often enough to watch a battery or signal fade, rare enough to cost nothing. */
export const TELEMETRY_MS = 30_000
/** No two telemetry messages of a session are closer (sb/1 8.9). */
export const TELEMETRY_LEAST_MS = 10_000
/** Characters of the cause of an end in `health` (sb/1 8.10). */
const LONGEST_END = 32

/**
 * The subscription stands: publish the birth and wait for the welcome (sb/1 4.2, sb/1 8.1). The birth voids what was
 * received and not spoken: the hub sends it again (sb/1 7.20).
 */
export function onOpened(state: DeviceState, sid: string, key: string, nowMs: number): Step {
  const { config, memory } = state
  const body: Birth = {
    t: 'birth',
    sid,
    fw: firmwareOf(state),
    model: config.model,
    caps: [...config.caps],
    lang: [...config.languages],
    rx: receiveBufferOf(state),
    played: memory.played,
    settings: memory.settings.ver,
    at: toUnixSeconds(ownClockMs(state, nowMs)),
  }
  const born: DeviceState = {
    ...state,
    link: { phase: 'born', sid, key },
    move: undefined,
    queue: [],
    pendingAcks: withoutReceived(state),
  }
  return publish(born, { kind: 'birth', body })
}

/**
 * Handles a welcome: takes the hub's clock (sb/1 11.1). The first one of a session also resets the session's counters,
 * and sends what the last session left unconfirmed: on this connection, earlier acks are already under way (sb/1 7.24).
 * A welcome that is not above the last one of the session is only acked, so a recording can't turn the clock back (sb/1
 * 11.7).
 */
export function onWelcome(state: DeviceState, command: Command<'welcome'>, nowMs: number): Step {
  const { link } = state
  if (link.phase === 'welcomed' && command.n <= link.welcomeN) return ackRepeat(state, command, 'received')
  if (link.phase !== 'born' && link.phase !== 'welcomed') return noEffects(state)
  const { now, linked, settings } = command.d
  const isFirst = link.phase === 'born'
  const session =
    link.phase === 'welcomed'
      ? { ...link, welcomeN: command.n }
      : {
          phase: 'welcomed' as const,
          sid: link.sid,
          key: link.key,
          welcomeN: command.n,
          shown: 0,
          identified: 0,
          telemetryAtMs: nowMs,
        }
  const welcomed = { ...state, link: session, linked, hubAheadMs: now * 1000 - nowMs }
  const onlyIfFirst = (act: (next: DeviceState) => Step) => (isFirst ? act : noEffects)
  const steps = [
    onlyIfFirst((next) => emit(next, { event: 'connected', linked })),
    confirmKey,
    onlyIfFirst(resendAcks),
    (next: DeviceState) => ackStage(next, command, 'received'),
    onlyIfFirst((next) => reportUnlessKnown(next, settings)),
    (next: DeviceState) => (linked ? noEffects(next) : unlink({ ...next, profile: undefined })),
    onlyIfFirst((next) => publishTelemetry(next, nowMs)),
  ]
  return steps.reduce(chain, noEffects(welcomed))
}

/** The connection ended, or an attempt failed. Queued sounds are still played (sb/1 10.3). */
export function onClosed(
  state: DeviceState,
  { end: { reason, code }, retryInMs, unplugged = false, nowMs }: Extract<DeviceEvent, { type: 'closed' }>,
): Step {
  const wasConnected = state.link.phase === 'welcomed'
  const retryAtMs = retryInMs === undefined ? undefined : nowMs + retryInMs
  const lastEnd = reason.slice(0, LONGEST_END) || undefined
  const offline: DeviceState = { ...state, lastEnd, link: { phase: 'offline', reason, retryAtMs, unplugged } }
  if (wasConnected) return emit(offline, { event: 'disconnected', reason })
  const retry = retryInMs === undefined ? {} : { retryInMs }
  if (code) return emit(offline, { event: 'refused', code, reason, ...retry })
  if (retryInMs === undefined) return noEffects(offline)
  return emit(offline, { event: 'offline', reason, retryInMs })
}

export const telemetryTimer: Timer = {
  dueAtMs: ({ link }) => (link.phase === 'welcomed' ? link.telemetryAtMs : undefined),
  fire: publishTelemetry,
}

/** Publishes telemetry, if there is a session, and restarts its timer. */
export function publishTelemetry(state: DeviceState, nowMs: number): Step {
  const { link, queue, sounding, memory, update } = state
  if (link.phase !== 'welcomed') return noEffects(state)
  const body = {
    ...vitalsOf(state, nowMs),
    volume: memory.settings.volume,
    queue: queue.length + (sounding ? 1 : 0),
    ...(update && { update: progressOf(update) }),
    ...healthOf(state, nowMs),
  }
  const next = { ...state, link: { ...link, telemetryAtMs: nowMs + TELEMETRY_MS } }
  return publish(next, { kind: 'telemetry', body })
}

function healthOf({ config, start, lastEnd }: DeviceState, nowMs: number): Pick<Telemetry, 'health'> {
  if (!config.caps.includes('health')) return {}
  const uptime = Math.max(0, Math.floor((nowMs - start.atMs) / 1000))
  // Nothing in it can crash and start again: a crash ends the simulator.
  return {
    health: { reset: start.reset, uptime, crashes: 0, ...(lastEnd !== undefined && { modem: lastEnd }) },
  }
}

function progressOf({ fw, state, percent }: NonNullable<DeviceState['update']>) {
  return { fw, state, ...(percent !== undefined && { percent }) }
}

/** Publishes telemetry ahead of its timer, or as soon after the last as it may. */
export function publishTelemetrySoon(state: DeviceState, nowMs: number): Step {
  const { link } = state
  if (link.phase !== 'welcomed') return noEffects(state)
  const leftMs = link.telemetryAtMs - nowMs
  if (leftMs <= TELEMETRY_LEAST_MS) return noEffects(state)
  const earlierMs = TELEMETRY_MS - TELEMETRY_LEAST_MS
  if (leftMs <= earlierMs) return publishTelemetry(state, nowMs)
  return noEffects({ ...state, link: { ...link, telemetryAtMs: link.telemetryAtMs - earlierMs } })
}
