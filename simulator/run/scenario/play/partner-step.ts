import { isBox } from '../../../boxes/box-speaker.ts'
import { waitUntil } from '../../../platform/clock.ts'
import { messageOf } from '../../../platform/error-text.ts'
import { PartnerRefusal } from '../../hub/partner-client.ts'
import { ONLY } from '../file/cast.ts'
import { needsPartner, refusalOf, type Step } from '../file/steps.ts'
import type { Payment, ScenarioPartner } from './partner.ts'
import { heardBy, type StepWorld } from './world.ts'

/** How often to ask the hub for a stage. */
const ASK_EVERY_MS = 100
/** A box may say its code after other sounds. */
const BOX_WITHIN_MS = 30_000
const NOT_CONNECTED = 40901

export type PartnerStep = Extract<
  Step,
  | { register: unknown }
  | { code: 'request' }
  | { showQr: unknown }
  | { pay: unknown }
  | { again: unknown }
  | { stage: unknown }
>

export function isPartnerStep(step: Step): step is PartnerStep {
  return needsPartner(step)
}

/** Performs a partner's step; resolves with the reason when its outcome is not the expected one. */
export async function runPartnerStep(step: PartnerStep, world: StepWorld): Promise<string | undefined> {
  const { name, partner } = partnerOf(step, world)
  if (!partner) return 'there is no partner for this step'
  if ('stage' in step) return runStage(step, { name, partner }, world).catch(messageOf)
  world.hubs?.route(step.via)
  const error = await errorOf(() => act(step, { name, partner }, world))
  world.hubs?.route(undefined)
  if (step.unanswered)
    return isUnanswered(error) ? undefined : `it was answered: ${messageOf(error ?? 'it was done')}`
  const refused = refusalOf(step)
  if (refused === undefined) return error === undefined ? undefined : messageOf(error)
  if (error instanceof PartnerRefusal && error.code === refused) return undefined
  const instead = error === undefined ? 'it was done' : messageOf(error)
  return `it was not refused with ${refused}: ${instead}`
}

/** The named partner, that of the named payment, or the only one. */
function partnerOf(step: PartnerStep, { partners, memory }: StepWorld) {
  const of = 'again' in step ? step.again : 'stage' in step ? step.of : undefined
  const paid = of === undefined ? undefined : memory.payments.get(of)?.by
  const given = 'by' in step ? step.by : undefined
  const name = given ?? paid ?? partners.keys().next().value ?? ONLY.partner
  return { name, partner: partners.get(name) }
}

interface Acting {
  name: string
  partner: ScenarioPartner
}

async function act(
  step: Exclude<PartnerStep, { stage: unknown }>,
  { name, partner }: Acting,
  world: StepWorld,
): Promise<void> {
  const { memory } = world
  if ('showQr' in step) return partner.showQr(step.showQr, step.bill, step.till ?? '')
  if ('pay' in step) {
    const payment = partner.newPayment(step.pay, step.bill ?? '', step.till ?? '')
    remember(payment, step.as, name, world)
    return partner.report(payment)
  }
  if ('again' in step) {
    const { payment } = memory.payments.get(step.again) ?? {}
    if (!payment) throw new Error(`there is no payment "${step.again}" yet`)
    return partner.report(
      step.amount === undefined ? payment : { ...payment, transactionAmount: step.amount },
    )
  }
  const { speaker } = heardBy(world, step.on)
  if ('register' in step) {
    const code = step.code ?? (await newCode(partner, step, world))
    const registered = await partner.register(speaker.serial, step.register, { code, till: step.till ?? '' })
    if (step.as !== undefined) memory.results.set(step.as, { ...registered, code })
    return
  }
  return requestCode(partner, step, world)
}

/** A payment is known from here on, even if the hub does not answer: the processor reports it again. */
function remember(payment: Payment, as: string | undefined, by: string, { memory }: StepWorld): void {
  memory.last.set(by, payment)
  if (as === undefined) return
  const { ftCode, traceTransfer, transactionAmount: amount, billNumber: bill, terminalID } = payment
  memory.results.set(as, { ftCode, traceTransfer, amount, bill, terminalID })
  memory.payments.set(as, { by, payment })
}

async function newCode(partner: ScenarioPartner, step: CodeStep, world: StepWorld): Promise<string> {
  const { speaker, log, label } = heardBy(world, step.on)
  if (label !== undefined) return label
  const before = log.all.length
  await requestCode(partner, step, world)
  const codes = () =>
    log.all.slice(before).flatMap(({ event }) => (event.event === 'code' ? [event.code] : []))
  // The hub answers only after a speaker of sb/1 has shown the code: its event is already there.
  if (isBox(speaker)) await log.becomes(() => codes().length > 0, BOX_WITHIN_MS, ASK_EVERY_MS)
  const [code] = codes()
  if (code === undefined) throw new Error('the hub reports a code, but the speaker shows none')
  return code
}

type CodeStep = Extract<PartnerStep, { register: unknown } | { code: 'request' }>

/** The hub counts a box as connected a moment after the SUBACK that the box takes as connected: ask again. */
async function requestCode(partner: ScenarioPartner, step: CodeStep, world: StepWorld): Promise<void> {
  const { clock, over } = world
  const { speaker } = heardBy(world, step.on)
  const untilMs = clock.now() + (isBox(speaker) && refusalOf(step) === undefined ? BOX_WITHIN_MS : 0)
  for (;;) {
    const error = await errorOf(() => partner.sendCode(speaker.serial))
    if (error === undefined) return
    const isEarly = error instanceof PartnerRefusal && error.code === NOT_CONNECTED
    if (!isEarly || clock.now() >= untilMs || over?.aborted) throw error
    await waitUntil(clock, clock.now() + ASK_EVERY_MS)
  }
}

async function runStage(
  step: Extract<PartnerStep, { stage: unknown }>,
  { name, partner }: Acting,
  world: StepWorld,
): Promise<string | undefined> {
  const { memory } = world
  const payment = step.of === undefined ? memory.last.get(name) : memory.payments.get(step.of)?.payment
  if (!payment) return 'there is no payment yet: add a step `pay` before'
  const { speaker } = heardBy(world, step.on)
  return awaitStage(() => partner.stage(payment, speaker.serial), step, world)
}

async function awaitStage(
  ask: () => Promise<string | undefined>,
  { stage, within }: { stage: string; within: number },
  { clock, over }: StepWorld,
): Promise<string | undefined> {
  const untilMs = clock.now() + within
  for (;;) {
    const reached = await ask()
    if (reached === stage) return undefined
    if (clock.now() >= untilMs || over?.aborted)
      return `the announcement is ${reached ?? 'unknown to the hub'} after ${within} ms`
    await waitUntil(clock, clock.now() + ASK_EVERY_MS)
  }
}

/** Whether fetch has failed, or has waited too long. */
function isUnanswered(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')
}

async function errorOf(act: () => Promise<void>): Promise<unknown> {
  try {
    await act()
    return undefined
  } catch (error) {
    return error
  }
}
