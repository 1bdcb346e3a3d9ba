import { type Clock, waitUntil } from '../../platform/clock.ts'
import { messageOf } from '../../platform/error-text.ts'
import { PartnerRefusal } from '../hub/partner-client.ts'
import type { ScenarioPartner } from './partner.ts'
import type { Step } from './schema.ts'
import type { StepWorld } from './step.ts'

/** How often to ask the hub for a stage. */
const ASK_EVERY_MS = 100

export type PartnerStep = Extract<
  Step,
  { register: unknown } | { showQr: unknown } | { pay: unknown } | { stage: unknown }
>

/** Performs a partner's step; resolves with the reason when its outcome is not the expected one. */
export async function runPartnerStep(step: PartnerStep, world: StepWorld): Promise<string | undefined> {
  const { partner, clock, speaker } = world
  if (!partner) return 'there is no partner for this step'
  if ('stage' in step) {
    const ask = () => partner.stage(speaker.serial)
    return awaitStage(ask, step, clock).catch(messageOf)
  }
  const error = await errorOf(() => act(step, partner, world))
  if (step.fails === undefined) return error === undefined ? undefined : messageOf(error)
  if (error instanceof PartnerRefusal && error.code === step.fails) return undefined
  const instead = error === undefined ? 'it was done' : messageOf(error)
  return `it was not refused with ${step.fails}: ${instead}`
}

async function act(
  step: Exclude<PartnerStep, { stage: unknown }>,
  partner: ScenarioPartner,
  { speaker, log }: StepWorld,
): Promise<void> {
  if ('showQr' in step) return partner.showQr(step.showQr, step.bill)
  if ('pay' in step) return partner.pay(step.pay, step.bill ?? '')
  const before = log.all.length
  await partner.sendCode(speaker.serial)
  // The hub answers only after the speaker has shown the code, so the event is already there.
  const [code] = log.all.slice(before).flatMap(({ event }) => (event.event === 'code' ? [event.code] : []))
  if (code === undefined) throw new Error('the hub reports a code, but the speaker shows none')
  await partner.register(speaker.serial, step.register, code)
}

async function awaitStage(
  ask: () => Promise<string | undefined>,
  { stage, within }: { stage: string; within: number },
  clock: Clock,
): Promise<string | undefined> {
  const untilMs = clock.now() + within
  for (;;) {
    const reached = await ask()
    if (reached === stage) return undefined
    if (clock.now() >= untilMs)
      return `the announcement is ${reached ?? 'unknown to the hub'} after ${within} ms`
    await waitUntil(clock, clock.now() + ASK_EVERY_MS)
  }
}

async function errorOf(act: () => Promise<void>): Promise<unknown> {
  try {
    await act()
    return undefined
  } catch (error) {
    return error
  }
}
