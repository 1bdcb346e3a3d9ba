import type { Clock } from '../../../platform/clock.ts'
import type { Speaker } from '../../../speaker/speaker.ts'
import { pathText } from '../file/issues.ts'
import type { PlacedStep, Scenario } from '../file/load.ts'
import { readStep, type Step } from '../file/steps.ts'
import { fill, referencesIn, valueAt } from '../file/variables.ts'
import { EventLog, type LoggedEvent } from './event-log.ts'
import type { ScenarioPartner } from './partner.ts'
import { runStep } from './step.ts'
import type { Heard, HubControl, StepWorld } from './world.ts'

/** Everything that a scenario needs. */
export interface ScenarioWorld {
  /** By name, configured as the scenario says; the run starts them. */
  speakers: ReadonlyMap<string, Speaker>
  /** The codes on the labels of boxes that neither show nor say one, by the speaker's name. */
  labels?: ReadonlyMap<string, string>
  /** By name; empty when no step needs a partner. */
  partners: ReadonlyMap<string, ScenarioPartner>
  hubs?: HubControl | undefined
  clock: Clock
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
  /** Of the speaker of the step, since its last match. */
  since: readonly LoggedEvent[]
  /** All of this speaker. Empty for a step of none of several speakers. */
  all: readonly LoggedEvent[]
  /** Of the other speakers. */
  others: readonly { name: string; all: readonly LoggedEvent[] }[]
}

/** Plays a scenario to its end, or to the first failed step. */
export async function runScenario(scenario: Scenario, world: ScenarioWorld): Promise<Outcome> {
  const { signal, progress = () => {} } = world
  const clock = signal ? endingWith(signal, world.clock) : world.clock
  const heard = [...world.speakers].map(([name, speaker]) => ({
    name,
    speaker,
    label: world.labels?.get(name),
    log: new EventLog(speaker, clock, signal),
  }))
  const startedAtMs = clock.now()
  const stepWorld: StepWorld = {
    speakers: new Map(heard.map((one) => [one.name, one])),
    partners: world.partners,
    hubs: world.hubs,
    memory: { results: new Map(), payments: new Map(), last: new Map() },
    ...{ clock, startedAtMs, over: signal },
  }
  for (const { speaker } of heard) speaker.start()
  try {
    for (const placed of scenario.steps) {
      progress(placed, 'begun')
      const step = placed.step ?? filledIn(placed, stepWorld)
      const found = typeof step === 'string' ? step : await runStep(step, stepWorld)
      const reason = signal?.aborted ? String(signal.reason) : found
      progress(placed, reason === undefined ? 'done' : 'failed')
      if (reason === undefined) continue
      const seen = { startedAtMs, ...eventsFor(placed, heard) }
      return { ok: false, ms: clock.now() - startedAtMs, step: placed, reason, seen }
    }
    return { ok: true, ms: clock.now() - startedAtMs }
  } finally {
    for (const { log } of heard) log.close()
  }
}

/** The step with the results of earlier ones, or the reason why it is none. */
function filledIn({ raw, kind }: PlacedStep, { memory }: StepWorld): Step | string {
  const filled = fill(raw, ([name = '', ...path]) => valueAt(memory.results.get(name), path))
  const [missing] = referencesIn(filled)
  if (missing) return `"${missing.name}" has no value`
  const read = readStep(filled, kind)
  if ('step' in read) return read.step
  return read.issues.map(({ path, message }) => `${pathText(path)}: ${message}`).join('; ')
}

function eventsFor({ raw }: PlacedStep, heard: readonly Heard[]): Omit<EventsBefore, 'startedAtMs'> {
  const { on }: { on?: unknown } = Object(raw)
  const own = heard.length === 1 ? heard[0] : heard.find(({ name }) => name === on)
  return {
    since: own?.log.since ?? [],
    all: own?.log.all ?? [],
    others: heard.filter((one) => one !== own).map(({ name, log }) => ({ name, all: log.all })),
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
