import type { Birth } from '../../../protocol/messages/birth.ts'
import type { Command } from '../../../protocol/messages/command.ts'
import { toUnixSeconds } from '../../../protocol/messages/fields.ts'
import { ackRepeat, ackStage, resendAcks } from './acks.ts'
import { confirmKey } from './rekey.ts'
import { unlink } from './screens.ts'
import { reportUnreported } from './settings.ts'
import type { LinkEnd } from './state/events.ts'
import { firmwareOf, receiveBufferOf } from './state/hardware.ts'
import { ownClockMs } from './state/hub-time.ts'
import { chain, type DeviceState, emit, noEffects, publish, type Step, type Timer } from './state/state.ts'
import { vitalsOf } from './vitals.ts'

/** Often enough to watch a battery or signal fade, rare enough to cost nothing. */
export const TELEMETRY_MS = 30_000

/** The subscription stands: publish the birth and wait for the welcome (sb/1 4.2, sb/1 8.1). */
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
  return publish({ ...state, link: { phase: 'born', sid, key }, move: undefined }, { kind: 'birth', body })
}

/**
 * Handles the welcome: takes the hub's clock, resets the counters of the session and sends what the last
 * session left unconfirmed. A repeat in the same session is only acked, so it can't turn the clock back (sb/1
 * 11.1, sb/1 11.2).
 */
export function onWelcome(state: DeviceState, command: Command<'welcome'>, nowMs: number): Step {
  const { link } = state
  if (link.phase === 'welcomed' && link.welcomeId === command.id) return ackRepeat(state, command, 'received')
  if (link.phase !== 'born' && link.phase !== 'welcomed') return noEffects(state)
  const { now, linked } = command.d
  const session =
    link.phase === 'welcomed'
      ? { ...link, welcomeId: command.id }
      : {
          phase: 'welcomed' as const,
          sid: link.sid,
          key: link.key,
          welcomeId: command.id,
          shown: 0,
          identified: 0,
          telemetryAtMs: nowMs,
        }
  const welcomed = { ...state, link: session, linked, hubAheadMs: now * 1000 - nowMs }
  const steps = [
    confirmKey,
    resendAcks,
    (next: DeviceState) => ackStage(next, command, 'received'),
    reportUnreported,
    (next: DeviceState) => (linked ? noEffects(next) : unlink({ ...next, profile: undefined })),
    (next: DeviceState) => (link.phase === 'born' ? publishTelemetry(next, nowMs) : noEffects(next)),
  ]
  const first = link.phase === 'born' ? emit(welcomed, { event: 'connected', linked }) : noEffects(welcomed)
  return steps.reduce(chain, first)
}

/** The connection ended, or an attempt failed. Queued sounds are still played (sb/1 10.3). */
export function onClosed(
  state: DeviceState,
  { reason, code }: LinkEnd,
  retryInMs: number | undefined,
  nowMs: number,
): Step {
  const wasConnected = state.link.phase === 'welcomed'
  const retryAtMs = retryInMs === undefined ? undefined : nowMs + retryInMs
  const offline: DeviceState = { ...state, link: { phase: 'offline', reason, retryAtMs } }
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
  }
  const next = { ...state, link: { ...link, telemetryAtMs: nowMs + TELEMETRY_MS } }
  return publish(next, { kind: 'telemetry', body })
}

function progressOf({ fw, state, percent }: NonNullable<DeviceState['update']>) {
  return { fw, state, ...(percent !== undefined && { percent }) }
}
