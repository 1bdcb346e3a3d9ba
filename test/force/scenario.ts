import type { OnEnd } from '../support/folder.ts'

/** Figures by name, for people and machines alike; the unit stands in the name. */
export type Figures = Record<string, number | string>

/** What came of a scenario. */
export type Outcome =
  | {
      kind: 'done'
      /** What was done to the hub, in a sentence. */
      did: string
      figures: Figures
      /** The promises that broke, in words; none when all held. */
      broken: string[]
    }
  | { kind: 'skipped'; why: string }

/** What a scenario is given. */
export interface Stage {
  /** What is opened is closed when the scenario is over, the last first. */
  onEnd: OnEnd
  /** Says how far it is. */
  say: (line: string) => void
}

/** `quick` runs in every `npm test`, `full` by hand. */
export type Scale = 'quick' | 'full'

/** Something that is done to a hub by force, and what it promises to do all the same. */
export interface Scenario {
  name: string
  promise: string
  run(scale: Scale, stage: Stage): Promise<Outcome>
}

/** A scenario whose two scales are two sets of numbers for one piece of code. */
export function scenario<S>(made: {
  name: string
  promise: string
  scales: Record<Scale, S>
  run: (size: S, stage: Stage) => Promise<Outcome>
}): Scenario {
  const { name, promise, scales, run } = made
  return { name, promise, run: (scale, stage) => run(scales[scale], stage) }
}
