import type { Command } from '../../../protocol/messages/command.ts'
import { NUMBER_MAX } from '../../../protocol/messages/fields.ts'
import type { Memory } from '../memory/memory.ts'
import { ackFailed, ackRepeat, ackStage } from './acks.ts'
import type { Adjustment } from './state/events.ts'
import { isPast } from './state/hub-time.ts'
import { chain, type DeviceState, emit, noEffects, publish, type Step } from './state/state.ts'

/**
 * Handles the hub's settings. Persists a newer version before it reports it; answers an older or equal one with the
 * settings in force (sb/1 8.3, sb/1 8.5).
 */
export function onSettings(state: DeviceState, command: Command<'settings'>, nowMs: number): Step {
  if (command.d.ver <= state.memory.settings.ver) return chain(ackRepeat(state, command, 'received'), report)
  if (isPast(state, command.at + command.ttl, nowMs)) return ackFailed(state, command, 'expired')
  const applied = applySettings(state, { ...state.memory, settings: command.d })
  return chain(
    chain(applied, (next) => ackStage(next, command, 'received')),
    report,
  )
}

/**
 * Handles a change at the speaker's own buttons: it makes the next version, reported as soon as there is a session
 * (sb/1 8.3, sb/1 8.6).
 */
export function onAdjusted(state: DeviceState, change: Adjustment): Step {
  const before = state.memory.settings
  const settings = { ...before, ...change, ver: before.ver + 1 }
  const isSame = settings.volume === before.volume && settings.lang === before.lang
  if (isSame || settings.ver > NUMBER_MAX || !state.config.languages.includes(settings.lang))
    return noEffects(state)
  const applied = applySettings(state, { ...state.memory, settings })
  return chain(applied, (next) => (next.link.phase === 'welcomed' ? report(next) : noEffects(next)))
}

/** At the first welcome of a session: reports settings that are unknown to the hub (sb/1 8.7). */
export function reportUnlessKnown(state: DeviceState, knownVersion: number | undefined): Step {
  return knownVersion === state.memory.settings.ver ? noEffects(state) : report(state)
}

/** Persists settings before anybody learns of them. */
function applySettings(state: DeviceState, memory: Memory): Step {
  const kept: Step = { state: { ...state, memory }, effects: [{ type: 'persist', memory }] }
  return chain(kept, (next) => emit(next, { event: 'settings', ...memory.settings }))
}

function report(state: DeviceState): Step {
  return publish(state, { kind: 'settings', body: { t: 'settings', ...state.memory.settings } })
}
