import type { Command } from '../../../protocol/messages/command.ts'
import { NUMBER_MAX } from '../../../protocol/messages/fields.ts'
import { ackFailed, ackRepeat, ackStage } from './acks.ts'
import type { Adjustment } from './state/events.ts'
import { isPast } from './state/hub-time.ts'
import { chain, type DeviceState, noEffects, type Step } from './state/state.ts'

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
      { type: 'emit', event: { event: 'settings', ...command.d } },
    ],
  }
  return chain(
    chain(applied, (next) => ackStage(next, command, 'received')),
    report,
  )
}

/**
 * Somebody has pressed the buttons of the speaker itself: the next version of the document, reported as soon as
 * there is a session (sb/1 8.3, sb/1 8.6). That it has not been reported is kept too: the hub would never ask.
 */
export function onAdjusted(state: DeviceState, change: Adjustment): Step {
  const before = state.memory.settings
  const settings = { ...before, ...change, ver: before.ver + 1 }
  const isSame = settings.volume === before.volume && settings.lang === before.lang
  if (isSame || settings.ver > NUMBER_MAX || !state.config.languages.includes(settings.lang))
    return noEffects(state)
  const memory = { ...state.memory, settings, unreported: true } as const
  const applied: Step = {
    state: { ...state, memory },
    effects: [
      { type: 'persist', memory },
      { type: 'emit', event: { event: 'settings', ...settings } },
    ],
  }
  return chain(applied, (next) => (next.link.phase === 'welcomed' ? report(next) : noEffects(next)))
}

/** At the welcome: what was changed at the speaker and the hub has not confirmed to know. */
export function reportUnreported(state: DeviceState): Step {
  return state.memory.unreported ? report(state) : noEffects(state)
}

/** The hub has stored a report. */
export function onReportStored(state: DeviceState, ver: number): Step {
  const { unreported, ...memory } = state.memory
  if (!unreported || ver !== memory.settings.ver) return noEffects(state)
  return { state: { ...state, memory }, effects: [{ type: 'persist', memory }] }
}

function report(state: DeviceState): Step {
  const body = { t: 'settings', ...state.memory.settings } as const
  return { state, effects: [{ type: 'publish', message: { kind: 'settings', body } }] }
}
