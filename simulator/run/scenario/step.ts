import { type Clock, waitUntil } from '../../platform/clock.ts'
import { type OperatorAction, performAction } from '../../speaker/actions.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import type { EventLog } from './event-log.ts'
import type { ScenarioPartner } from './partner.ts'
import { type PartnerStep, runPartnerStep } from './partner-step.ts'
import { matches, matchesEvent } from './pattern.ts'
import type { Step } from './schema.ts'

/** What a step can use. */
export interface StepWorld {
  speaker: Speaker
  /** Needed for a partner's step. */
  partner?: ScenarioPartner | undefined
  clock: Clock
  log: EventLog
}

/** How often the snapshot is checked besides after every event: a countdown emits none. */
const LOOK_EVERY_MS = 100

type Expectation = Extract<
  Step,
  { expect: unknown } | { expectNone: unknown } | { count: unknown } | { see: unknown }
>
type Act = Exclude<Step, Expectation | PartnerStep>

/** Performs one step, not before its time; resolves with the reason when it fails. */
export async function runStep(
  step: Step,
  world: StepWorld,
  startedAtMs: number,
): Promise<string | undefined> {
  if (step.at !== undefined) await waitUntil(world.clock, startedAtMs + step.at)
  if (isExpectation(step)) return meet(step, world)
  if (isPartnerStep(step)) return runPartnerStep(step, world)
  await act(step, world)
  return undefined
}

async function act(step: Act, { speaker, clock }: StepWorld): Promise<void> {
  if ('wait' in step) await waitUntil(clock, clock.now() + step.wait)
  else await performAction(speaker, actionOf(step))
}

function actionOf(step: Exclude<Act, { wait: unknown }>): OperatorAction {
  if ('power' in step) return { do: 'power', on: step.power === 'on' }
  if ('network' in step) return { do: 'network', on: step.network === 'plug' }
  if ('fault' in step) return { do: 'fault', fault: step.fault, on: true }
  if ('repair' in step) return { do: 'fault', fault: step.repair, on: false }
  if ('volume' in step) return { do: 'adjust', change: { volume: step.volume } }
  if ('language' in step) return { do: 'adjust', change: { lang: step.language } }
  return { do: step.press }
}

async function meet(step: Expectation, { speaker, log }: StepWorld): Promise<string | undefined> {
  if ('expect' in step) {
    const seen = await log.next(step.expect, step.within)
    return seen ? undefined : `it did not come within ${step.within} ms`
  }
  if ('expectNone' in step) {
    const seen = await log.peek(step.expectNone, step.for)
    return seen && `it came: ${JSON.stringify(seen.event)}`
  }
  if ('count' in step) {
    const count = log.all.filter(({ event }) => matchesEvent(step.count, event)).length
    return count === step.is ? undefined : `there were ${count} since the start, not ${step.is}`
  }
  const shown = () => matches(step.see, speaker.snapshot())
  if (await log.becomes(shown, step.within, LOOK_EVERY_MS)) return undefined
  const snapshot: Record<string, unknown> = { ...speaker.snapshot() }
  const instead = Object.keys(step.see).map((field) => [field, snapshot[field] ?? null])
  return `not seen within ${step.within} ms, but ${JSON.stringify(Object.fromEntries(instead))}`
}

function isExpectation(step: Step): step is Expectation {
  return 'expect' in step || 'expectNone' in step || 'count' in step || 'see' in step
}

/** Whether a step needs the hub's HTTP API and a partner. */
export function isPartnerStep(step: Step): step is PartnerStep {
  return 'register' in step || 'showQr' in step || 'pay' in step || 'stage' in step
}
