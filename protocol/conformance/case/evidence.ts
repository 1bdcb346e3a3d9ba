import type { Case, Need } from './schema.ts'

/** How a device is watched: on the wire, through power cuts, by somebody who hears and sees it. */
export const LEVELS = ['wire', 'power', 'senses'] as const
export type Level = (typeof LEVELS)[number]

/** What it takes to decide a case that applies to the device. */
export const GAPS = ['power', 'goodbye', 'senses', 'device', 'slow', 'only', 'session'] as const
export type Gap = (typeof GAPS)[number]

const GAP_OF_NEED: ReadonlyMap<Need, Gap> = new Map([
  ['power-cycle', 'power'],
  ['goodbye', 'goodbye'],
])

/** The levels without which nobody can decide the case. */
export function levelsOf({ needs, steps = [] }: Pick<Case, 'needs' | 'steps'>): Level[] {
  const power = needs.includes('power-cycle')
  const senses = steps.some((step) => 'ask' in step && step.unanswered === 'inconclusive')
  return ['wire', ...(power ? (['power'] as const) : []), ...(senses ? (['senses'] as const) : [])]
}

/** The need that the device itself does not meet: the case does not apply to it. */
export function deviceLacks(needs: readonly Need[], lacks: ReadonlyMap<Need, string>): Need | undefined {
  return needs.find((need) => lacks.has(need) && !GAP_OF_NEED.has(need))
}

/** What the operator lacks to run a case. Undefined if nothing, or if the case does not apply. */
export function operatorLacks(needs: readonly Need[], lacks: ReadonlyMap<Need, string>): Gap | undefined {
  if (deviceLacks(needs, lacks)) return undefined
  return needs.map((need) => (lacks.has(need) ? GAP_OF_NEED.get(need) : undefined)).find((gap) => gap)
}
