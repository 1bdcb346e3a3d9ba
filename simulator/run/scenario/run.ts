import type { Clock } from '../../platform/clock.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { EventLog, type LoggedEvent } from './event-log.ts'
import type { PlacedStep, Scenario } from './load.ts'
import { runStep, type StepWorld } from './step.ts'

/** The world in which a scenario is played. */
export interface ScenarioWorld extends Omit<StepWorld, 'log'> {
  /** Built as the scenario says; it is switched on here. */
  speaker: Speaker
  /** Ends the scenario before its end; its reason says why, as text. */
  signal?: AbortSignal
  /** Told of each step as it begins, and as it is done or not met. */
  progress?: (step: PlacedStep, state: StepState) => void
}

export type StepState = 'begun' | 'done' | 'failed'

export type Outcome =
  | { ok: true; ms: number }
  | { ok: false; ms: number; step: PlacedStep; reason: string; seen: EventsBefore }

/** What was seen when a step was not met. */
export interface EventsBefore {
  startedAtMs: number
  /** Since the last happening that was expected and came. */
  since: readonly LoggedEvent[]
  all: readonly LoggedEvent[]
}

/** Plays a scenario to its end, or to the first step that is not met. */
export async function runScenario(scenario: Scenario, world: ScenarioWorld): Promise<Outcome> {
  const { speaker, signal, progress = () => {} } = world
  const clock = signal ? endingWith(signal, world.clock) : world.clock
  const log = new EventLog(speaker, clock)
  const startedAtMs = clock.now()
  speaker.start()
  try {
    for (const step of scenario.steps) {
      progress(step, 'begun')
      const found = await runStep(step.step, { ...world, clock, log }, startedAtMs)
      const reason = signal?.aborted ? String(signal.reason) : found
      progress(step, reason === undefined ? 'done' : 'failed')
      if (reason === undefined) continue
      const seen = { startedAtMs, since: log.since, all: log.all }
      return { ok: false, ms: clock.now() - startedAtMs, step, reason, seen }
    }
    return { ok: true, ms: clock.now() - startedAtMs }
  } finally {
    log.close()
  }
}

/** A clock on which every wait is over when the signal comes. */
function endingWith(signal: AbortSignal, clock: Clock): Clock {
  return {
    now: () => clock.now(),
    wakeAt: (atMs, wake) => {
      const wakeNow = () => {
        cancel()
        wake()
      }
      const calledOff = () => {
        cancel()
        signal.removeEventListener('abort', wakeNow)
      }
      const cancel = clock.wakeAt(signal.aborted ? 0 : atMs, () => {
        signal.removeEventListener('abort', wakeNow)
        wake()
      })
      signal.addEventListener('abort', wakeNow, { once: true })
      return calledOff
    },
  }
}
