import { isBox } from '../../../boxes/box-speaker.ts'
import { isBoxFault } from '../../../boxes/core/faults.ts'
import { waitUntil } from '../../../platform/clock.ts'
import { type OperatorAction, performAction } from '../../../speaker/actions.ts'
import { performBoxControl } from '../../boxes/control.ts'
import type { BoxStep, Step } from '../file/steps.ts'
import { describeDifferences, differences, matches, matchesEvent } from './match.ts'
import { nearestTo } from './nearest-event.ts'
import { isPartnerStep, type PartnerStep, runPartnerStep } from './partner-step.ts'
import { type Heard, heardBy, type StepWorld } from './world.ts'

/** How often the snapshot is checked besides after every event: a countdown emits none. */
const LOOK_EVERY_MS = 100

type Expectation = Extract<
  Step,
  { expect: unknown } | { expectNone: unknown } | { count: unknown } | { see: unknown }
>
type Act = Exclude<Step, Expectation | PartnerStep>

/** Performs one step, not before its time; resolves with the reason when it fails. */
export async function runStep(step: Step, world: StepWorld): Promise<string | undefined> {
  const { clock, startedAtMs } = world
  if (step.at !== undefined) await waitUntil(clock, startedAtMs + step.at)
  if (isExpectation(step)) return meet(step, heardBy(world, step.on), world)
  if (isPartnerStep(step)) return runPartnerStep(step, world)
  return act(step, world)
}

async function act(step: Act, world: StepWorld): Promise<string | undefined> {
  const { clock, hubs } = world
  if ('hub' in step) return hubs ? hubs.act(step.hub, step.number ?? 1) : 'this hub is not ours to control'
  if ('wait' in step) {
    await waitUntil(clock, clock.now() + step.wait)
    return undefined
  }
  const { speaker } = heardBy(world, step.on)
  // The file was checked before: a box gets the steps of boxes.
  if (isBox(speaker)) performBoxControl(speaker.box, controlOf(step))
  else if (!isOfBoxes(step)) await performAction(speaker, actionOf(step))
  return undefined
}

type OperatorStep = Exclude<Act, { wait: unknown } | { hub: unknown }>
type OfBoxes = Exclude<BoxStep, Expectation>

function isOfBoxes(step: OperatorStep): step is Extract<OperatorStep, OfBoxes> {
  return 'keys' in step || 'key' in step || ('fault' in step && isBoxFault(step.fault))
}

/** The control line of a box. */
function controlOf(step: OperatorStep): string {
  if ('fault' in step) return `fault ${step.fault} on`
  if ('repair' in step) return `fault ${step.repair} off`
  const { on: _, at: __, ...rest } = step
  return Object.entries(rest).flat().join(' ')
}

function actionOf(step: Exclude<OperatorStep, OfBoxes>): OperatorAction {
  if ('power' in step) return { do: 'power', on: step.power === 'on' }
  if ('network' in step) return { do: 'network', on: step.network === 'plug' }
  if ('fault' in step) return { do: 'fault', fault: step.fault, on: true }
  if ('repair' in step) return { do: 'fault', fault: step.repair, on: false }
  if ('volume' in step) return { do: 'adjust', change: { volume: step.volume } }
  if ('language' in step) return { do: 'adjust', change: { lang: step.language } }
  return { do: step.press }
}

async function meet(
  step: Expectation,
  { speaker, log }: Heard,
  { memory, startedAtMs }: StepWorld,
): Promise<string | undefined> {
  if ('expect' in step) {
    const seen = await log.next(step.expect, step.within)
    if (!seen)
      return withHint(`it did not come within ${step.within} ms`, nearestTo(step.expect, log, startedAtMs))
    if (step.as !== undefined) memory.results.set(step.as, seen.event)
    return undefined
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
  const isShown = await log.becomes(shown, step.within, LOOK_EVERY_MS)
  const snapshot: Record<string, unknown> = { ...speaker.snapshot() }
  if (isShown) {
    if (step.as !== undefined) memory.results.set(step.as, snapshot)
    return undefined
  }
  const instead = Object.keys(step.see).map((field) => [field, snapshot[field] ?? null])
  const found = describeDifferences(differences(step.see, snapshot))
  return withHint(
    `not seen within ${step.within} ms, but ${JSON.stringify(Object.fromEntries(instead))}`,
    found === '' ? undefined : `It differs: ${found}`,
  )
}

/** A reason with what helps to understand it, on a line of its own. */
function withHint(reason: string, hint: string | undefined): string {
  return hint === undefined ? reason : `${reason}.\n${hint}`
}

function isExpectation(step: Step): step is Expectation {
  return 'expect' in step || 'expectNone' in step || 'count' in step || 'see' in step
}
