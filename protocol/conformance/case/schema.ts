import { z } from 'zod'
import { FORGERIES, SPELLINGS } from '../hub/forge.ts'
import { DELIVERIES } from '../hub/sender.ts'
import { duration } from './duration.ts'
import { expectedFacts } from './matcher.ts'

/**
 * The schema of the YAML files in cases/. README.md describes it for authors of cases.
 */

/** The name by which later steps refer to a command. */
const name = z.string().regex(/^[a-z][a-z0-9-]*$/)
const wire = z.enum(DELIVERIES).default('whole')
/** A violation of a `should` is a warning. */
const level = z.enum(['must', 'should']).default('must')
const body = z.record(z.string(), z.unknown())

/** A number, or the value of a variable. */
const numberOrVariable = z.union([z.int().min(0), z.string().startsWith('$')])

/** Sends a command. */
const send = z.strictObject({
  send: z.string().min(1),
  as: name.optional(),
  d: body.optional(),
  body: z.unknown().optional(),
  with: body.optional(),
  without: z.array(z.string()).optional(),
  /** The next number, the number after a gap of one or of millions, or a given number that later ones ignore. */
  n: z.union([z.enum(['next', 'skip', 'jump']), numberOrVariable]).optional(),
  agoS: z.int().optional(),
  ttlS: z.int().min(0).optional(),
  /** The sum of `at` and `ttl`, in place of `ttlS`. */
  until: numberOrVariable.optional(),
  /** Repeats a text in a field of the body, as often as the receive buffer allows. */
  stretch: z.strictObject({ field: z.string(), text: z.string().min(1), most: z.int().min(1) }).optional(),
  /** For `announce`: a sentence for which the device needs this long, or several. */
  lasting: duration.optional(),
  /** With `lasting`: only one sentence. */
  alone: z.boolean().default(false),
  /** For `announce`: sends up to so many, each when the one before is received. Stops at one that is not. */
  upTo: z.int().min(2).optional(),
  /** Pads the PUBLISH to the size of the receive buffer, to a little more, or to several times its size. */
  fill: z.enum(['rx', 'over-rx', 'far-over-rx']).optional(),
  /** Sends it so often, each a byte longer than the one before and after its ack. The step stops if an ack is missing. */
  sweep: z.int().min(2).optional(),
  /** Uses the id of another command, for example `$welcome.id`. */
  id: z.string().startsWith('$').optional(),
  forge: z.enum(FORGERIES).optional(),
  spelled: z.enum(SPELLINGS).optional(),
  raw: z.string().endsWith('}').optional(),
  wire,
})

/** Resends a command as the hub does: the same id and n, a new `at` and MAC. */
const again = z.strictObject({ again: name, agoS: z.int().optional(), ttlS: z.int().min(0).optional(), wire })

/** Sends the bytes of the latest sending again. */
const replay = z.strictObject({ replay: name, wire })

/** Which packet a step matches. */
const packetMatch = {
  /** The command that the packet refers to. */
  of: name.optional(),
  /** Expected fields of the frame. */
  says: expectedFacts.default({}),
  /** Expected facts of the packet. */
  has: expectedFacts.default({}),
  level,
}

/**
 * The device breaks no rule if the step fails: the case does not apply to it. `skip`: so the first clause of the case
 * stays open. `own-clock`: only a device that goes by its own clock breaks none (11.1), and no clause stays open.
 */
const otherwise = z.enum(['skip', 'own-clock'])

/** Waits for a packet. Other packets before it are allowed. */
const expect = z.strictObject({
  expect: z.string(),
  ...packetMatch,
  within: duration.default('answer'),
  /** Must come after the latest expected packet of this command. */
  after: name.optional(),
  /** It may have come before other expected packets, at any time after the first sending of the command. */
  ever: z.boolean().default(false),
  /** As the last step: the next cases run meanwhile, until the kit breaks the connection. For what comes by itself. */
  meanwhile: z.boolean().default(false),
  /** Names the time since the packet of the `expect` before it, for `within: 1.5 of NAME`. */
  took: name.optional(),
  /** An announcement. If it had ended when the packet came, the case can't be decided, as with `otherwise: skip`. */
  while: name.optional(),
  /** `go-on`: the wait ends early if the packet comes, and decides nothing. */
  otherwise: z.union([otherwise, z.literal('go-on')]).optional(),
})

/**
 * Fails when a matching packet comes. `for: case` watches until the end of the case plus `quietMs`, with `of` while the
 * next cases run. `now` does not watch: it looks at what has come.
 */
const forbid = z.strictObject({
  forbid: z.string(),
  ...packetMatch,
  /** Packets with these fields are allowed. */
  except: expectedFacts.optional(),
  /** This many are allowed. */
  moreThan: z.int().min(0).default(0),
  for: z.union([z.enum(['case', 'now']), duration]).default('case'),
  otherwise: otherwise.optional(),
})

export const FAULTS = [
  'cut',
  'silence',
  'turn-away',
  'refuse',
  'hang-up',
  'no-connack',
  'no-suback',
  'refuse-suback',
  'no-puback',
  'no-pingresp',
  'no-welcome',
  'settings-unknown',
  'settings-other',
  'clock-behind',
  'none',
] as const
const fault = z.strictObject({
  fault: z.enum(FAULTS),
  /** The return code in the CONNACK of `refuse`, and in the SUBACK of `refuse-suback`. */
  code: z.int().min(0).max(0x80).optional(),
  /** `refuse` only CONNECTs with the key before the latest `rekey`, or with the other one. */
  key: z.enum(['old', 'new']).optional(),
  /** `no-puback` only to acks of this stage. A device may keep one message in flight at a time. */
  st: z.enum(['received', 'shown', 'played', 'failed']).optional(),
  /** For `clock-behind`. */
  seconds: z.int().min(1).optional(),
})

/** What a person, a microphone or a camera can check. */
const fact = z.union([
  z.strictObject({ heard: name, times: z.int().min(0) }),
  z.strictObject({
    screen: z.enum(['code', 'qr', 'idle', 'locked', 'missed', 'paid', 'no-code', 'no-qr', 'no-missed']),
    of: name.optional(),
  }),
  z.strictObject({ beeped: name }),
])
export type Fact = z.infer<typeof fact>

const ask = z.strictObject({
  /** How long to wait before the question. */
  after: duration.optional(),
  /** The answer becomes yes within this time. A rig is asked every second, a person once. */
  by: duration.optional(),
  /** A question whose correct answer is yes. `{pay.amount}` inserts a field. */
  ask: z.string().endsWith('?'),
  about: fact,
  /** The verdict when nobody answers: `pass` if the acks already prove it. */
  unanswered: z.enum(['pass', 'inconclusive']).default('inconclusive'),
  level,
})

/** Cuts the power and switches it on again. The text tells the operator when. Without an operator nothing happens. */
const powerCycle = z.strictObject({ 'power-cycle': z.string() })
/** Makes the device end its session cleanly. The text tells the operator how. */
const goodbye = z.strictObject({ goodbye: z.string() })

const STEPS = { send, again, replay, expect, forbid, fault, ask, 'power-cycle': powerCycle, goodbye } as const
type Verb = keyof typeof STEPS

export type Step = { [V in Verb]: z.infer<(typeof STEPS)[V]> }[Verb]
export type SendStep = z.infer<typeof send>
export type ExpectStep = z.infer<typeof expect>
export type ForbidStep = z.infer<typeof forbid>
export type FaultStep = z.infer<typeof fault>
export type AskStep = z.infer<typeof ask>

/** Chooses the schema by the step's verb, so that an error message is about that verb only. */
const step = z.unknown().transform((raw, context): Step => {
  const verb = Object.keys(Object(raw)).find((key): key is Verb => Object.hasOwn(STEPS, key))
  if (!verb) {
    context.addIssue(`a step needs one of these keys: ${Object.keys(STEPS).join(', ')}`)
    return z.NEVER
  }
  const parsed = STEPS[verb].safeParse(raw)
  if (parsed.success) return parsed.data
  for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message })
  return z.NEVER
})

/** What a device or its operator must have for a case to apply. */
export const NEEDS = [
  'speaker',
  'no-speaker',
  'queue',
  'no-queue',
  'screen',
  'no-screen',
  'qr',
  'no-qr',
  'vi',
  'no-vi',
  'en',
  'no-en',
  'power-cycle',
  'goodbye',
  'hub-clock',
  'own-clock',
  'telemetry',
  'rekey',
  'update',
  'health',
] as const
export type Need = (typeof NEEDS)[number]

const always = z.strictObject({
  /** The kind of packet, or `any`, `message` (every PUBLISH) or `sealed` (messages with a MAC). */
  packet: z.string(),
  has: expectedFacts.default({}),
  says: expectedFacts.default({}),
  /** With fewer packets the case is skipped. */
  atLeast: z.int().min(1).default(1),
  level,
})

const caseSchema = z
  .strictObject({
    id: name,
    /** What a correct device does. */
    title: z.string().max(64),
    /** The clauses of protocol/README.md. */
    clauses: z.array(z.string().regex(/^\d+\.\d+$/)).min(1),
    /** What goes wrong in a shop if the device breaks the rule. */
    why: z.string(),
    needs: z.array(z.enum(NEEDS)).default([]),
    /** What a pass does not prove. */
    note: z.string().optional(),
    /** Runs only with --slow or when it is named. */
    slow: z.boolean().default(false),
    /** Runs last: the device stays offline afterwards. */
    last: z.boolean().default(false),
    /** A rule for every packet of the run. */
    always: always.optional(),
    steps: z.array(step).min(1).optional(),
    /** Steps that restore the device, run whatever the verdict is. They decide nothing. */
    finally: z.array(step).default([]),
    /** How often the case is run until it passes. Above 1 only if a stalled machine can fail a correct device. */
    tries: z.int().min(1).default(1),
  })
  .refine((given) => (given.always === undefined) !== (given.steps === undefined), {
    error: 'a case has either `always` or `steps`',
  })

/** A case file: one area. */
export const caseFile = z.strictObject({
  area: z.string().regex(/^[a-z]+$/),
  about: z.string(),
  cases: z.array(caseSchema).min(1),
})

/** A loaded case. Its `id` is `area/name`. */
export type Case = Omit<z.infer<typeof caseSchema>, 'id'> & { id: string; area: string }
