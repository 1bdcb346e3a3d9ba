import type { OnEnd } from '../support/folder.ts'

/** Figures by name, for people and machines alike; the unit stands in the name. */
export type Figures = Record<string, number | string>

/** The result of a scenario. */
export type Outcome =
  | {
      kind: 'done'
      /** What the scenario did to the hub, in a sentence. */
      did: string
      figures: Figures
      /** A sentence for each broken promise. */
      broken: string[]
    }
  | { kind: 'skipped'; why: string }

/** The tools of a scenario. */
export interface Stage {
  /** Registers a close function. They run at the end of the scenario, the last first. */
  onEnd: OnEnd
  /** Reports progress. */
  say: (line: string) => void
}

/** `npm run check` runs the small numbers of `quick`. `npm run force` runs `full`. */
export type Scale = 'quick' | 'full'

/** A failure that is forced on a hub, and the promise that must still hold. */
export interface Scenario {
  name: string
  promise: string
  /** Whether it repeats its failure, so that `run` takes `times`. */
  isRepeated: boolean
  /** Forces the failure so many times instead of the number of the scale. */
  run(scale: Scale, stage: Stage, times?: number): Promise<Outcome>
}

/** Makes a scenario of one function and a set of numbers for each scale. */
export function scenario<S extends object>(made: {
  name: string
  promise: string
  scales: Record<Scale, S>
  run: (size: S, stage: Stage) => Promise<Outcome>
}): Scenario {
  const { name, promise, scales, run } = made
  return {
    ...{ name, promise, isRepeated: 'times' in scales.full },
    run: (scale, stage, times) => run({ ...scales[scale], ...(times !== undefined && { times }) }, stage),
  }
}
