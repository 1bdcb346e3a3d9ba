import type { Command } from '../../../protocol/messages/command.ts'
import { ackFailed, ackStage } from './acks.ts'
import { publishTelemetrySoon } from './session.ts'
import { firmwareOf } from './state/hardware.ts'
import { isPast } from './state/hub-time.ts'
import { chain, type DeviceState, emit, noEffects, type Step, type Timer } from './state/state.ts'

/** A simulated download: so much of it in so long. */
const PART = 20
const PART_MS = 10_000

/** Takes an offer of firmware, or declines it. An offer that is under way is not begun again (sb/1 18.5). */
export function onUpdate(state: DeviceState, command: Command<'update'>, nowMs: number): Step {
  if (isPast(state, command.at + command.ttl, nowMs)) return ackFailed(state, command, 'expired')
  const { fw, url } = command.d
  const acked = ackStage(state, command, 'received')
  if (fw === state.update?.fw || fw === firmwareOf(state)) return acked
  return chain(acked, (next) => {
    if (state.config.declinesUpdates) return tell(next, { fw, state: 'declined' }, undefined, nowMs)
    if (!hasAddress(url)) return tell(next, { fw, state: 'failed' }, undefined, nowMs)
    return tell(next, { fw, state: 'downloading', percent: 0 }, nowMs + PART_MS, nowMs)
  })
}

/** No host under `.invalid` has an address (RFC 6761, 6.4). */
function hasAddress(url: string): boolean {
  return URL.canParse(url) && !new URL(url).hostname.endsWith('.invalid')
}

/** The next part is there. At the end it installs the firmware, and restarts when it is quiet (sb/1 18.4). */
export const updateTimer: Timer = {
  dueAtMs: ({ update, sounding, queue }) =>
    update?.state === 'installing' && (sounding || queue.length > 0) ? undefined : update?.dueAtMs,
  fire(state, nowMs) {
    const { update, memory } = state
    if (!update) return noEffects(state)
    const { fw, percent = 0 } = update
    if (update.state === 'downloading')
      return percent + PART < 100
        ? tell(state, { fw, state: 'downloading', percent: percent + PART }, nowMs + PART_MS, nowMs)
        : tell(state, { fw, state: 'installing' }, nowMs + PART_MS, nowMs)
    const installed = { ...memory, firmware: fw }
    return {
      state: { ...state, memory: installed, update: undefined },
      effects: [{ type: 'persist', memory: installed }, { type: 'restart' }],
    }
  },
}

type Progress = Omit<NonNullable<DeviceState['update']>, 'dueAtMs'>

function tell(state: DeviceState, progress: Progress, dueAtMs: number | undefined, nowMs: number): Step {
  const next = { ...state, update: { ...progress, dueAtMs } }
  return chain(emit(next, { event: 'update', ...progress }), (emitted) =>
    publishTelemetrySoon(emitted, nowMs),
  )
}
