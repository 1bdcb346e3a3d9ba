import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { language } from '../../messages/fields.ts'
import type { ClauseList } from './clause-list.ts'
import { timings } from './duration.ts'
import { UsageError } from './usage-error.ts'

/** The device's properties, written by its makers in YAML or JSON. The kit reads missing fields from the birth. */
export const profileSchema = z.strictObject({
  /** Its capabilities. Cases that need others are skipped. */
  caps: z.array(z.enum(['speaker', 'screen', 'qr', 'rekey', 'update', 'health'])).optional(),
  /** Languages of its clip packs. */
  lang: z.array(language).min(1).optional(),
  /** Bytes of its receive buffer for a whole PUBLISH. */
  rx: z.int().min(128).max(60_000).optional(),
  /** Whether announcements can wait while another one is spoken. */
  queue: z.boolean().optional(),
  /** Whether it sends telemetry. */
  telemetry: z.boolean().optional(),
  /** The source of its time: the hub's welcome, or its own clock. */
  clock: z.enum(['hub', 'own']).optional(),
  /** A shell command that cuts its power and switches it on again. */
  powerCycle: z.string().min(1).optional(),
  /** A shell command that makes the device end its session cleanly. */
  goodbye: z.string().min(1).optional(),
  /** A shell command that answers the questions for the operator: see README.md. */
  answers: z.string().min(1).optional(),
  /** How it obeys the clauses that no kit can check, by number. */
  declares: z.record(z.string(), z.string().min(1)).default({}),
  timings: timings.prefault({}),
})
export type Profile = z.infer<typeof profileSchema>

/** Parses a profile. `file` is its name in a `UsageError`. */
export function parseProfile(file: string, text: string): Profile {
  let given: unknown
  try {
    given = parse(text) ?? {}
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const parsed = profileSchema.safeParse(given)
  if (!parsed.success)
    throw new UsageError(`${file} is not a valid profile:\n${z.prettifyError(parsed.error)}`)
  return parsed.data
}

export function readProfile(path: string): Profile {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`can't read the profile: ${error instanceof Error ? error.message : String(error)}`)
  }
  return parseProfile(path, text)
}

/** Throws a `UsageError` if the profile declares a clause that a case can check, or that does not exist. */
export function assertDeclarable({ declares }: Profile, list: ClauseList): void {
  for (const number of Object.keys(declares)) {
    if (list.get(number)?.beyond !== undefined) continue
    const beyond = [...list].flatMap(([one, entry]) => (entry.beyond === undefined ? [] : [one]))
    throw new UsageError(`the profile declares ${number}: only ${beyond.join(', ')} can be declared`)
  }
}
