import type { Clock } from '../../platform/clock.ts'
import { carryOut, type Order } from '../../speaker/actions.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import type { Witness } from './event-log.ts'
import type { ScenarioPartner } from './partner.ts'
import { type PartnersStep, runPartnersStep } from './partner-step.ts'
import { fits, holds } from './pattern.ts'
import type { Step } from './schema.ts'

/** What a step can act on and look at. */
export interface StepWorld {
  speaker: Speaker
  /** Needed when a step is a partner's. */
  partner?: ScenarioPartner | undefined
  clock: Clock
  witness: Witness
}

/** How often the screen is looked at, beside everything that happens: a countdown tells nobody. */
const LOOK_EVERY_MS = 100

type Expectation = Extract<
  Step,
  { expect: unknown } | { expectNone: unknown } | { count: unknown } | { see: unknown }
>
type Act = Exclude<Step, Expectation | PartnersStep>

/** Does one step, not before its time; answers why it was not met, if it was not. */
export async function runStep(
  step: Step,
  world: StepWorld,
  startedAtMs: number,
): Promise<string | undefined> {
  if (step.at !== undefined) await waitUntil(world.clock, startedAtMs + step.at)
  if (isExpectation(step)) return meet(step, world)
  if (isPartners(step)) return runPartnersStep(step, world)
  await act(step, world)
  return undefined
}

async function act(step: Act, { speaker, clock }: StepWorld): Promise<void> {
  if ('wait' in step) await waitUntil(clock, clock.now() + step.wait)
  else await carryOut(speaker, orderOf(step))
}

function orderOf(step: Exclude<Act, { wait: unknown }>): Order {
  if ('power' in step) return { do: 'power', on: step.power === 'on' }
  if ('network' in step) return { do: 'network', on: step.network === 'plug' }
  if ('fault' in step) return { do: 'fault', fault: step.fault, on: true }
  if ('repair' in step) return { do: 'fault', fault: step.repair, on: false }
  if ('volume' in step) return { do: 'adjust', change: { volume: step.volume } }
  if ('language' in step) return { do: 'adjust', change: { lang: step.language } }
  return { do: step.press }
}

async function meet(step: Expectation, { speaker, witness }: StepWorld): Promise<string | undefined> {
  if ('expect' in step) {
    const seen = await witness.next(step.expect, step.within)
    return seen ? undefined : `it did not come within ${step.within} ms`
  }
  if ('expectNone' in step) {
    const seen = await witness.peek(step.expectNone, step.for)
    return seen && `it came: ${JSON.stringify(seen.happening)}`
  }
  if ('count' in step) {
    const count = witness.all.filter(({ happening }) => fits(step.count, happening)).length
    return count === step.is ? undefined : `there were ${count} since the start, not ${step.is}`
  }
  const shown = () => holds(step.see, speaker.snapshot())
  if (await witness.becomes(shown, step.within, LOOK_EVERY_MS)) return undefined
  const snapshot: Record<string, unknown> = { ...speaker.snapshot() }
  const instead = Object.keys(step.see).map((field) => [field, snapshot[field] ?? null])
  return `that was not to be seen within ${step.within} ms, but ${JSON.stringify(Object.fromEntries(instead))}`
}

function isExpectation(step: Step): step is Expectation {
  return 'expect' in step || 'expectNone' in step || 'count' in step || 'see' in step
}

/** Whether a step needs the hub's HTTP API, and somebody who may use it. */
export function isPartners(step: Step): step is PartnersStep {
  return 'register' in step || 'showQr' in step || 'pay' in step || 'stage' in step
}

function waitUntil(clock: Clock, atMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.wakeAt(atMs, resolve)
  })
}
