import type { Speaker } from '../speaker.ts'
import type { PlacedStep, Scenario } from './load.ts'
import { runStep, type StepWorld } from './step.ts'
import { type Seen, Witness } from './witness.ts'

/** The world in which a scenario is played. */
export interface ScenarioWorld extends Omit<StepWorld, 'witness'> {
  /** Built as the scenario says; it is switched on here. */
  speaker: Speaker
  /** Told of each step as it begins, and as it is done or not met. */
  progress?: (step: PlacedStep, state: StepState) => void
}

export type StepState = 'begun' | 'done' | 'failed'

export type Outcome =
  | { ok: true; ms: number }
  | { ok: false; ms: number; step: PlacedStep; reason: string; seen: Sightings }

/** What was seen when a step was not met. */
export interface Sightings {
  startedAtMs: number
  /** Since the last happening that was expected and came. */
  since: readonly Seen[]
  all: readonly Seen[]
}

/** Plays a scenario to its end, or to the first step that is not met. */
export async function runScenario(scenario: Scenario, world: ScenarioWorld): Promise<Outcome> {
  const { speaker, clock, progress = () => {} } = world
  const witness = new Witness(speaker, clock)
  const startedAtMs = clock.now()
  speaker.start()
  try {
    for (const step of scenario.steps) {
      progress(step, 'begun')
      const reason = await runStep(step.step, { ...world, witness }, startedAtMs)
      progress(step, reason === undefined ? 'done' : 'failed')
      if (reason === undefined) continue
      const seen = { startedAtMs, since: witness.since, all: witness.all }
      return { ok: false, ms: clock.now() - startedAtMs, step, reason, seen }
    }
    return { ok: true, ms: clock.now() - startedAtMs }
  } finally {
    witness.close()
  }
}
