import { fromBase64url, toBase64url } from '#platform'
import { maskKey } from '../../../protocol/keys.ts'
import type { Command } from '../../../protocol/messages/command.ts'
import type { Memory } from '../memory/memory.ts'
import { ackFailed, ackStage } from './acks.ts'
import { isPast } from './state/hub-time.ts'
import { chain, type DeviceState, emit, noEffects, type Step, type Timer } from './state/state.ts'

/** The latest end of a session in which a new key came (sb/1 2.7). */
const MOVE_WITHIN_MS = 60_000
/** Spreads the connections of a fleet whose keys are rotated at once (sb/1 2.7). */
const MOVE_SPREAD_MS = 10_000

/** Stores the next K before it acks the command. It connects with it as soon as nothing is under way (sb/1 2.7). */
export function onRekey(state: DeviceState, command: Command<'rekey'>, nowMs: number): Step {
  const { link, memory } = state
  if (link.phase !== 'welcomed') return noEffects(state)
  if (isPast(state, command.at + command.ttl, nowMs)) return ackFailed(state, command, 'expired')
  const [current, masked] = [link.key, command.d.key].map(fromBase64url)
  if (!current || !masked) return noEffects(state)
  const next = toBase64url(maskKey(current, command.id, masked))
  const keys = { given: memory.keys?.given ?? link.key, current: link.key, next }
  const stored = chain(keep(state, { ...memory, keys }), (kept) =>
    emit({ ...kept, move: { sinceMs: nowMs, id: command.id } }, { event: 'rekey', key: 'next' }),
  )
  return chain(stored, (next) => ackStage(next, command, 'received'))
}

/** The hub has shown with a welcome that it has the next K: it is the only one from now on (sb/1 2.8). */
export function confirmKey(state: DeviceState): Step {
  const { link, memory } = state
  if (link.phase !== 'welcomed' || !memory.keys?.next || memory.keys.next !== link.key)
    return noEffects(state)
  const { given, next: current } = memory.keys
  return chain(keep(state, { ...memory, keys: { given, current } }), (kept) =>
    emit(kept, { event: 'rekey', key: 'confirmed' }),
  )
}

export const moveTimer: Timer = {
  dueAtMs({ link, move, sounding, queue, pendingAcks }) {
    if (!move || link.phase !== 'welcomed') return undefined
    const isQuiet = !sounding && queue.length === 0 && !pendingAcks.some(({ body }) => body.id === move.id)
    return move.sinceMs + (isQuiet ? spreadMs(link.sid) : MOVE_WITHIN_MS)
  },
  fire: (state) => ({ state: { ...state, move: undefined }, effects: [{ type: 'reconnect' }] }),
}

/** Drawn from the session id, which is random. */
function spreadMs(sid: string): number {
  return Math.floor((Number.parseInt(sid.slice(0, 4), 16) * MOVE_SPREAD_MS) / 0x1_0000)
}

function keep(state: DeviceState, memory: Memory): Step {
  return { state: { ...state, memory }, effects: [{ type: 'persist', memory }] }
}
