import { z } from 'zod'
import { language } from '../../../../protocol/messages/fields.ts'
import { guess } from '../../../../protocol/text/nearest.ts'
import { BOX_FAULTS } from '../../../boxes/core/faults.ts'
import { parseDuration } from '../../../platform/duration.ts'
import { FAULTS } from '../../../speaker/device/state/faults.ts'
import { type Issue, issuesOf, issueText } from './issues.ts'
import { patternOf, type SpeakerKind } from './pattern.ts'
import { snapshotIssues } from './snapshot.ts'

/** The schema of the steps of a scenario; scenarios/README.md describes them for authors. */

/** What the JSON Schema says of a duration. */
const durationText = z.unknown().meta({ type: 'string', examples: ['250ms', '1.5s', '2m'] })

/** A duration in a scenario: `250ms`, `1.5s`, `2m`; parsed into milliseconds. */
const duration = durationText.transform((given, context) => {
  const ms = typeof given === 'string' ? parseDuration(given) : undefined
  if (ms !== undefined) return ms
  context.addIssue('write a duration as 250ms, 1.5s or 2m')
  return z.NEVER
})

/** The name of a speaker or of a partner. */
export const castName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'a name has lower-case letters, digits and "-", and begins with a letter')

/** The name of a variable. */
export const variableName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/, 'a name has letters, digits, "-" and "_", and begins with a letter')

/** Long enough for a busy machine; a step that passes does not wait for it. */
const WITHIN_MS = 10_000

const always = {
  /** The earliest time of the step, from the start. */
  at: duration.optional(),
}
/** For a step of a speaker: which one. */
const ofSpeaker = { on: castName.optional(), ...always }
/** For a step of a partner: which one. */
const ofPartner = { by: castName.optional(), ...always }
/** The name by which later steps refer to the result. */
const as = variableName.optional()
/** The number of the hub that the partner asks. */
const via = z.int().min(1).optional()
/** Which of the partner's tills. */
const till = z.string().min(1).max(16).optional()
const code = z.int().min(40000).max(59999).optional()
/**
 * The hub's error code with which it must refuse; `fails` is an older name. `unanswered`: no hub must answer, because it
 * was ended or frozen.
 */
const refusal = { refused: code, fails: code, unanswered: z.literal(true).optional() }
const within = duration.default(WITHIN_MS)
const text = (most: number) => z.string().max(most)
const UNLESS = ' (with `refused`, it may be any text)'
const AMOUNT = `an amount is digits in quotes, as "50000"${UNLESS}`
const AMOUNT_PATTERN = /^[1-9][0-9]{0,12}$/
const amount = z.string(AMOUNT).max(64)

/** The steps whose names and events depend on the kind of the speaker. */
function stepsOf<const Fault extends string>(kind: SpeakerKind, faults: readonly Fault[]) {
  const [fault, pattern] = [z.enum(faults), patternOf(kind)]
  return {
    fault: z.strictObject({ fault, ...ofSpeaker }),
    repair: z.strictObject({ repair: fault, ...ofSpeaker }),
    expect: z.strictObject({ expect: pattern, within, as, ...ofSpeaker }),
    expectNone: z.strictObject({ expectNone: pattern, for: duration, ...ofSpeaker }),
    count: z.strictObject({ count: pattern, is: z.int().min(0), ...ofSpeaker }),
  }
}

/** The steps of every scenario. */
const COMMON = {
  power: z.strictObject({ power: z.enum(['off', 'on']), ...ofSpeaker }),
  network: z.strictObject({ network: z.enum(['cut', 'plug']), ...ofSpeaker }),
  wait: z.strictObject({ wait: duration, ...always }),
  hub: z.strictObject({
    hub: z.enum(['kill', 'stop', 'start', 'freeze', 'thaw']),
    number: z.int().min(1).optional(),
    ...always,
  }),
  register: z.strictObject({
    register: text(1_000),
    till,
    /** Use this code, and request none. */
    code: text(64).optional(),
    as,
    via,
    ...refusal,
    ...ofSpeaker,
    ...ofPartner,
  }),
  code: z.strictObject({ code: z.literal('request'), via, ...refusal, ...ofSpeaker, ...ofPartner }),
  showQr: z.strictObject({ showQr: amount, bill: text(1_000), till, via, ...refusal, ...ofPartner }),
  pay: z.strictObject({ pay: amount, bill: text(1_000).optional(), till, as, via, ...refusal, ...ofPartner }),
  again: z.strictObject({ again: variableName, amount: amount.optional(), via, ...refusal, ...ofPartner }),
  stage: z.strictObject({
    stage: z.enum(['queued', 'sent', 'received', 'played', 'delivered', 'failed', 'expired', 'suppressed']),
    /** The payment; the last one of this partner when absent. */
    of: variableName.optional(),
    within,
    ...ofSpeaker,
    ...ofPartner,
  }),
} as const

/** The steps of one kind of speaker alone, by their verbs. */
export const OWN_STEPS = {
  sb1: {
    ...stepsOf('sb1', FAULTS),
    volume: z.strictObject({ volume: z.int().min(0).max(100), ...ofSpeaker }),
    language: z.strictObject({ language, ...ofSpeaker }),
    press: z.strictObject({ press: z.enum(['reconnect', 'dismiss']), ...ofSpeaker }),
    see: z.strictObject({ see: z.record(z.string(), z.unknown()), within, as, ...ofSpeaker }),
  },
  box: {
    ...stepsOf('box', BOX_FAULTS),
    keys: z.strictObject({
      keys: z.string('write digits in quotes, as "50000"').regex(/^\d{1,13}$/, 'keys are 1 to 13 digits'),
      ...ofSpeaker,
    }),
    key: z.strictObject({ key: z.enum(['enter', 'back', 'clear', '000']), ...ofSpeaker }),
  },
} as const

const STEPS = { sb1: { ...COMMON, ...OWN_STEPS.sb1 }, box: { ...COMMON, ...OWN_STEPS.box } }
/** Where a field is named like another verb, the verb of the step stands first. */
const ANY = { ...STEPS.box, ...STEPS.sb1 }
type Verb = keyof typeof ANY
const VERBS = Object.keys(ANY)
/** The schemas of all steps: those of boxes after those of sb/1. */
export const ALL_STEPS: readonly z.ZodType[] = [COMMON, OWN_STEPS.sb1, OWN_STEPS.box].flatMap((steps) =>
  Object.values(steps),
)
/** Verbs of steps that hold other steps. */
const BLOCKS = ['repeat', 'for']

/** A step of a speaker of sb/1. */
type SpeakerStep = z.infer<(typeof STEPS.sb1)[keyof typeof STEPS.sb1]>
/** A step of a box. */
export type BoxStep = z.infer<(typeof OWN_STEPS.box)[keyof typeof OWN_STEPS.box]>
export type Step = SpeakerStep | BoxStep

/** Reads a step of a speaker of this kind. Chooses the schema by the verb, so that errors refer to that verb's fields. */
export function readStep(raw: unknown, kind: SpeakerKind): { step: Step } | { issues: Issue[] } {
  const verb = verbOf(raw)
  if (!verb) return { issues: [{ path: [], message: noVerb(raw) }] }
  const steps: Partial<Record<Verb, z.ZodType<Step>>> = STEPS[kind]
  const schema = steps[verb]
  if (!schema) return { issues: [{ path: [verb], message: NOT_OF[kind] }] }
  const parsed = schema.safeParse(raw, { error: issueText })
  if (!parsed.success) return { issues: issuesOf(parsed.error) }
  const issues = [
    ...('see' in parsed.data ? snapshotIssues(parsed.data.see, ['see']) : []),
    ...contentIssues(parsed.data),
  ]
  return issues.length > 0 ? { issues } : { step: parsed.data }
}

export function verbOf(raw: unknown): Verb | undefined {
  const isVerb = (key: string): key is Verb => Object.hasOwn(Object(raw), key)
  return VERBS.find(isVerb)
}

/** Whether a step needs the hub's HTTP API and a partner. */
export function needsPartner(raw: unknown): boolean {
  const verb = verbOf(raw)
  return verb !== undefined && takes(verb, 'by')
}

/** Whether the steps of a verb have a field. */
export function takes(verb: Verb, field: string): boolean {
  return Object.hasOwn(ANY[verb].shape, field)
}

const NOT_OF: Record<SpeakerKind, string> = {
  sb1: 'only a box of another maker has this step: give the speaker a dialect',
  box: 'a box of another maker does not have this step',
}

function noVerb(raw: unknown): string {
  const verbs = [...VERBS, ...BLOCKS]
  const [key = ''] = typeof raw === 'object' && raw !== null ? Object.keys(raw) : []
  const meant = guess(key, verbs)
  return meant === undefined
    ? `a step is one of: ${verbs.join(', ')}`
    : `there is no step "${key}"; did you mean "${meant}"?`
}

/** What a partner may send. Anything else is a mistake of the author, unless the step expects its refusal. */
const CONTENT: Record<string, readonly [RegExp, string]> = {
  ...{ pay: [AMOUNT_PATTERN, AMOUNT], showQr: [AMOUNT_PATTERN, AMOUNT], amount: [AMOUNT_PATTERN, AMOUNT] },
  register: [/^.{1,128}$/su, `a shop has a name of 1 to 128 characters${UNLESS}`],
  bill: [/^.{0,64}$/su, `a bill number has at most 64 characters${UNLESS}`],
}

function contentIssues(given: Step): Issue[] {
  const { refused, fails, unanswered }: Record<string, unknown> = Object(given)
  if (refused !== undefined && fails !== undefined)
    return [{ path: ['fails'], message: 'this is an older name of refused: leave it out' }]
  if (unanswered !== undefined && refusalOf(given) !== undefined)
    return [{ path: ['unanswered'], message: 'a hub that refuses has answered: leave out one of the two' }]
  if (refusalOf(given) !== undefined) return []
  return Object.entries(given).flatMap(([field, value]) => {
    const rule = CONTENT[field]
    return rule === undefined || rule[0].test(String(value)) ? [] : [{ path: [field], message: rule[1] }]
  })
}

/** The error code with which the hub must refuse. */
export function refusalOf(step: Step): number | undefined {
  return 'refused' in step || 'fails' in step ? (step.refused ?? step.fails) : undefined
}
