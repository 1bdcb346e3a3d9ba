import { z } from 'zod'
import { language } from '../../../protocol/messages/fields.ts'
import { parseDuration } from '../../platform/duration.ts'
import { FAULTS } from '../../speaker/device/state/faults.ts'
import { CAPS } from '../../speaker/device/state/state.ts'
import { display } from '../headless/display.ts'
import { snapshotLine } from '../headless/lines.ts'
import { type Issue, issuesOf, issueText } from './issues.ts'
import { pattern } from './pattern.ts'

/** The schema of scenario files; scenarios/README.md describes it for authors. */

/** A duration in a scenario: `250ms`, `1.5s`, `2m`; parsed into milliseconds. */
export const duration = z.unknown().transform((given, context) => {
  const ms = typeof given === 'string' ? parseDuration(given) : undefined
  if (ms !== undefined) return ms
  context.addIssue('write a duration as 250ms, 1.5s or 2m')
  return z.NEVER
})

/** Long enough for a busy machine; a step that passes does not wait for it. */
const WITHIN_MS = 10_000

const common = {
  /** The earliest time of the step, from the start. */
  at: duration.optional(),
}
const within = duration.default(WITHIN_MS)
const AMOUNT = 'an amount is digits in quotes, as "50000"'
const amount = z.string(AMOUNT).regex(/^[1-9][0-9]{0,12}$/, AMOUNT)
/** The hub's error code with which the action must fail. */
const fails = z.int().min(40000).max(59999).optional()
const fault = z.enum(FAULTS)

/** The steps by their verbs. */
const STEPS = {
  power: z.strictObject({ power: z.enum(['off', 'on']), ...common }),
  network: z.strictObject({ network: z.enum(['cut', 'plug']), ...common }),
  fault: z.strictObject({ fault, ...common }),
  repair: z.strictObject({ repair: fault, ...common }),
  volume: z.strictObject({ volume: z.int().min(0).max(100), ...common }),
  language: z.strictObject({ language, ...common }),
  press: z.strictObject({ press: z.enum(['reconnect', 'dismiss']), ...common }),
  wait: z.strictObject({ wait: duration, ...common }),
  register: z.strictObject({ register: z.string().min(1).max(128), fails, ...common }),
  showQr: z.strictObject({ showQr: amount, bill: z.string().min(1).max(64), fails, ...common }),
  pay: z.strictObject({ pay: amount, bill: z.string().max(64).optional(), fails, ...common }),
  expect: z.strictObject({ expect: pattern, within, ...common }),
  expectNone: z.strictObject({ expectNone: pattern, for: duration, ...common }),
  count: z.strictObject({ count: pattern, is: z.int().min(0), ...common }),
  see: z.strictObject({ see: z.record(z.string(), z.unknown()), within, ...common }),
  stage: z.strictObject({
    stage: z.enum(['queued', 'sent', 'received', 'played', 'failed', 'expired', 'suppressed']),
    within,
    ...common,
  }),
} as const
type Verb = keyof typeof STEPS
export type Step = z.infer<(typeof STEPS)[Verb]>

/** Finds the step by its verb, so that errors refer to that verb's fields. */
const step = z.unknown().transform((raw, context): Step => {
  const verb = Object.keys(Object(raw)).find((key): key is Verb => Object.hasOwn(STEPS, key))
  if (!verb) {
    context.addIssue(`a step is one of: ${Object.keys(STEPS).join(', ')}`)
    return z.NEVER
  }
  const parsed = STEPS[verb].safeParse(raw, { error: issueText })
  const found = parsed.success ? seeIssues(parsed.data) : issuesOf(parsed.error)
  for (const { path, message } of found) context.addIssue({ code: 'custom', path, message })
  return parsed.success ? parsed.data : z.NEVER
})

const scenarioFields = {
  /** What the scenario shows, in a sentence. */
  about: z.string().min(1, 'must say what the scenario shows, in a sentence'),
  /** Hardware that differs from the default. */
  speaker: z
    .strictObject({
      msPerClip: z.exactOptional(z.int().min(1).max(5_000)),
      rxBytes: z.exactOptional(z.int().min(128).max(60_000)),
      languages: z.exactOptional(z.array(language).min(1)),
      caps: z.exactOptional(z.array(z.enum(CAPS))),
      /** The range of the delay of a packet under the fault slow-link, in milliseconds. */
      slowLinkMs: z.exactOptional(
        z
          .strictObject({ least: z.int().min(0), most: z.int().max(30_000) })
          .refine(({ least, most }) => least <= most, 'least is greater than most'),
      ),
      faults: z.array(fault).default([]),
    })
    .prefault({}),
  steps: z.array(step).min(1, 'a scenario has at least one step'),
}

export const scenarioFile = z.strictObject(scenarioFields, {
  error: ({ code, input }) => {
    if (code !== 'invalid_type') return undefined
    const has = `a scenario has ${Object.keys(scenarioFields).join(', ')}`
    return input === null ? `the file is empty: ${has}` : has
  },
})

/** Checks that a snapshot can contain what `see` looks for; nested fields may be omitted. */
function seeIssues(given: Step): Issue[] {
  if (!('see' in given)) return []
  const known: Record<string, z.ZodType> = snapshotLine.omit({ event: true }).shape
  return Object.entries(given.see).flatMap(([field, value]) => {
    const path = ['see', field]
    const schema = known[field]
    if (!schema) {
      const names = Object.keys(known).join(', ')
      return [{ path, message: `a snapshot has no "${field}"; its fields are ${names}` }]
    }
    if (field === 'display') return screenIssues(value, path)
    const isPart = typeof value === 'object' && !Array.isArray(value)
    const checked = isPart ? undefined : schema.safeParse(value, { error: issueText })
    return (checked?.error?.issues ?? []).map(({ message }) => ({ path, message }))
  })
}

function screenIssues(value: unknown, path: string[]): Issue[] {
  const screens = display.options.map(({ shape }) => shape.screen.value)
  const { screen }: { screen?: unknown } = Object(value)
  if (screens.some((one) => one === screen)) return []
  return [{ path, message: `a display needs a screen: ${screens.join(', ')}` }]
}
