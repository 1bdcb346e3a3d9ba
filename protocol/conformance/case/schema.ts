import { z } from 'zod'
import { FORGERIES } from '../hub/forge.ts'
import { DELIVERIES } from '../hub/sender.ts'
import { expectedFacts } from './matcher.ts'
import { span } from './duration.ts'

/**
 * The language of the cases: what a YAML file in cases/ may say. README.md describes it for whoever writes one.
 */

/** The name by which later steps speak of a command. */
const name = z.string().regex(/^[a-z][a-z0-9-]*$/)
const wire = z.enum(DELIVERIES).default('whole')
/** `should`: a breach is a warning. */
const level = z.enum(['must', 'should']).default('must')
const body = z.record(z.string(), z.unknown())

/** Sends a command. */
const send = z.strictObject({
  send: z.string().min(1),
  as: name.optional(),
  d: body.optional(),
  body: z.unknown().optional(),
  with: body.optional(),
  without: z.array(z.string()).optional(),
  /** The next number, the one after a gap, or one that is made of another command's. */
  n: z.union([z.enum(['next', 'skip']), z.string().startsWith('$')]).optional(),
  agoS: z.int().optional(),
  ttlS: z.int().min(0).optional(),
  /** Padded to the size of the receive buffer, or to more than that. */
  fill: z.enum(['rx', 'over-rx']).optional(),
  /** In place of a fresh one: that of another command, as `$welcome.id`. */
  id: z.string().startsWith('$').optional(),
  forge: z.enum(FORGERIES).optional(),
  spelled: z.literal('otherwise').optional(),
  raw: z.string().endsWith('}').optional(),
  wire,
})

/** Sends a command again as the hub does: the same id and n, another `at` and MAC. */
const again = z.strictObject({ again: name, agoS: z.int().optional(), ttlS: z.int().min(0).optional(), wire })

/** Sends the bytes of an earlier sending. */
const replay = z.strictObject({ replay: name, wire })

/** What a step looks out for. */
const sought = {
  /** The command that it is about. */
  of: name.optional(),
  /** What the frame says. */
  says: expectedFacts.default({}),
  /** What the packet is. */
  has: expectedFacts.default({}),
  level,
}

/** Waits for a packet; what is passed over on the way is allowed. */
const expect = z.strictObject({
  expect: z.string(),
  ...sought,
  within: span.default('answer'),
  /** Comes later than the last packet that was expected of this command. */
  after: name.optional(),
})

/** Breaks when a packet comes. `for: case` watches to the end of the case and a little longer. */
const forbid = z.strictObject({
  forbid: z.string(),
  ...sought,
  /** Fine all the same. */
  except: expectedFacts.optional(),
  /** So many are fine. */
  moreThan: z.int().min(0).default(0),
  for: z.union([z.literal('case'), span]).default('case'),
})

export const FAULTS = [
  'cut',
  'silence',
  'turn-away',
  'refuse',
  'hang-up',
  'no-suback',
  'no-puback',
  'no-welcome',
  'clock-behind',
  'none',
] as const
const fault = z.strictObject({
  fault: z.enum(FAULTS),
  /** The CONNACK of `refuse`. */
  code: z.int().min(1).max(5).optional(),
  /** Of `clock-behind`. */
  seconds: z.int().min(1).optional(),
})

/** What a person, a microphone or a camera can tell. */
const fact = z.union([
  z.strictObject({ heard: name, times: z.int().min(0) }),
  z.strictObject({
    screen: z.enum(['code', 'qr', 'idle', 'missed', 'paid', 'no-code', 'no-qr']),
    of: name.optional(),
  }),
  z.strictObject({ beeped: name }),
])
export type Fact = z.infer<typeof fact>

const ask = z.strictObject({
  /** How long to wait before it is asked. */
  after: span.optional(),
  /** A question that is answered with yes when all is well; `{pay.amount}` stands for a field. */
  ask: z.string().endsWith('?'),
  about: fact,
  /** When nobody answers: `pass` where the acks have told it already. */
  unanswered: z.enum(['pass', 'inconclusive']).default('inconclusive'),
  level,
})

/** Cuts the power and switches it on again; the text tells a person when. */
const powerCycle = z.strictObject({ 'power-cycle': z.string() })
/** Has the device end its session cleanly; the text tells a person how. */
const goodbye = z.strictObject({ goodbye: z.string() })

const STEPS = { send, again, replay, expect, forbid, fault, ask, 'power-cycle': powerCycle, goodbye } as const
type Verb = keyof typeof STEPS

export type Step = { [V in Verb]: z.infer<(typeof STEPS)[V]> }[Verb]
export type SendStep = z.infer<typeof send>
export type ExpectStep = z.infer<typeof expect>
export type ForbidStep = z.infer<typeof forbid>
export type FaultStep = z.infer<typeof fault>
export type AskStep = z.infer<typeof ask>

/** A step is known by its verb, so that a mistake in it is told in that verb's words. */
const step = z.unknown().transform((raw, context): Step => {
  const verb = Object.keys(Object(raw)).find((key): key is Verb => Object.hasOwn(STEPS, key))
  if (!verb) {
    context.addIssue(`a step starts with one of: ${Object.keys(STEPS).join(', ')}`)
    return z.NEVER
  }
  const parsed = STEPS[verb].safeParse(raw)
  if (parsed.success) return parsed.data
  for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message })
  return z.NEVER
})

/** What a device must have for a case to make sense. */
export const NEEDS = [
  'speaker',
  'queue',
  'screen',
  'no-screen',
  'qr',
  'vi',
  'en',
  'power-cycle',
  'goodbye',
  'hub-clock',
  'own-clock',
] as const
export type Need = (typeof NEEDS)[number]

const always = z.strictObject({
  /** The kind of packet; `any` for all, `message` for every PUBLISH, `sealed` for those with a MAC. */
  packet: z.string(),
  has: expectedFacts.default({}),
  says: expectedFacts.default({}),
  /** With fewer packets nothing is shown. */
  atLeast: z.int().min(1).default(1),
  level,
})

const caseSchema = z
  .strictObject({
    id: name,
    /** What a device does that is in order. */
    title: z.string().max(64),
    /** The clauses of protocol/README.md. */
    clauses: z.array(z.string().regex(/^\d+\.\d+$/)).min(1),
    /** What goes wrong in a shop otherwise. */
    why: z.string(),
    needs: z.array(z.enum(NEEDS)).default([]),
    /** What a pass does not show. */
    note: z.string().optional(),
    /** Run with --slow or by its name only. */
    slow: z.boolean().default(false),
    /** Run after everything else: the device stays away afterwards. */
    last: z.boolean().default(false),
    /** Holds for every packet of the run. */
    always: always.optional(),
    steps: z.array(step).min(1).optional(),
  })
  .refine((given) => (given.always === undefined) !== (given.steps === undefined), {
    error: 'a case has either `always` or `steps`',
  })

/** A file of cases: one area. */
export const caseFile = z.strictObject({
  area: z.string().regex(/^[a-z]+$/),
  about: z.string(),
  cases: z.array(caseSchema).min(1),
})

/** A case as it runs; `id` is area and name. */
export type Case = Omit<z.infer<typeof caseSchema>, 'id'> & { id: string; area: string }
