import type { PlacedStep, Scenario } from './load.ts'
import type { Outcome } from './run.ts'
import type { Seen } from './witness.ts'

/** Enough to see what led to it, few enough to be read. */
const MOST_EVENTS = 12

/** What is to be said of a scenario that has ended, in lines. */
export function describeOutcome(scenario: Scenario, outcome: Outcome): string[] {
  if (outcome.ok) return [`${scenario.file}: every step was met, in ${seconds(outcome.ms)}.`]
  const { step, reason, seen } = outcome
  const { startedAtMs, since, all } = seen
  const earlier = all.slice(0, all.length - since.length)
  const describe = (events: readonly Seen[]) =>
    events.length === 0
      ? ['  nothing']
      : events.slice(-MOST_EVENTS).map((one) => describeSeen(one, startedAtMs))
  return [
    `${place(scenario, step)}: ${step.text}`,
    `  ${reason.replace(/\.$/, '')}.`,
    'Since the last event that was expected and came:',
    ...describe(since),
    'Before it:',
    ...describe(earlier),
  ]
}

/** The same as one sentence. */
export function reasonOf(outcome: Outcome & { ok: false }, scenario: Scenario): string {
  return `${place(scenario, outcome.step)}: ${outcome.step.text}: ${outcome.reason}`
}

function place({ file }: Scenario, { line }: PlacedStep): string {
  return `${file}:${line}`
}

function describeSeen({ atMs, happening }: Seen, startedAtMs: number): string {
  return `  +${seconds(atMs - startedAtMs).padStart(8)}  ${JSON.stringify(happening)}`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
