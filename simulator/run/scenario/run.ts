import type { Clock } from '../../platform/clock.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { EventLog, type LoggedEvent } from './event-log.ts'
import type { PlacedStep, Scenario } from './load.ts'
import { runStep, type StepWorld } from './step.ts'

/** Everything that a scenario needs. */
export interface ScenarioWorld extends Omit<StepWorld, 'log'> {
  /** Configured as the scenario says; the run starts it. */
  speaker: Speaker
  /** Aborts the scenario; the reason is text. */
  signal?: AbortSignal
  /** Called when a step begins, and when it is done or has failed. */
  progress?: (step: PlacedStep, state: StepState) => void
}

export type StepState = 'begun' | 'done' | 'failed'

export type Outcome =
  | { ok: true; ms: number }
  | { ok: false; ms: number; step: PlacedStep; reason: string; seen: EventsBefore }

/** The events when a step failed. */
export interface EventsBefore {
  startedAtMs: number
  /** Since the last match. */
  since: readonly LoggedEvent[]
  all: readonly LoggedEvent[]
}

/** Plays a scenario to its end, or to the first failed step. */
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

/** A clock that ends every wait when the signal is aborted. */
function endingWith(signal: AbortSignal, clock: Clock): Clock {
  return {
    now: () => clock.now(),
    wakeAt: (atMs, wake) => {
      const wakeNow = () => {
        cancel()
        wake()
      }
      const cancelTimer = clock.wakeAt(signal.aborted ? 0 : atMs, wakeNow)
      const cancel = () => {
        cancelTimer()
        signal.removeEventListener('abort', wakeNow)
      }
      signal.addEventListener('abort', wakeNow, { once: true })
      return cancel
    },
  }
}
