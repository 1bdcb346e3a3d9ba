import type { Command } from '../../protocol/messages/command.ts'
import { ackFailed, ackRepeat, ackStage } from './acks.ts'
import { isPast } from './hub-time.ts'
import { chain, type DeviceState, type Step } from './state.ts'

/**
 * The hub's settings document. Only a newer version is taken, and kept before it is reported; an older or
 * equal one is answered with what is in force (sb/1 8.3, sb/1 8.5).
 */
export function onSettings(state: DeviceState, command: Command<'settings'>, nowMs: number): Step {
  if (command.d.ver <= state.memory.settings.ver) return chain(ackRepeat(state, command, 'received'), report)
  if (isPast(state, command.at + command.ttl, nowMs)) return ackFailed(state, command, 'expired')
  const memory = { ...state.memory, settings: command.d }
  const applied: Step = {
    state: { ...state, memory },
    effects: [
      { type: 'persist', memory },
      { type: 'happened', happening: { event: 'settings', ...command.d } },
    ],
  }
  return chain(
    chain(applied, (next) => ackStage(next, command, 'received')),
    report,
  )
}

function report(state: DeviceState): Step {
  const body = { t: 'settings', ...state.memory.settings } as const
  return { state, effects: [{ type: 'publish', message: { kind: 'settings', body } }] }
}
