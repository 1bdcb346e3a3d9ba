import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { language } from '../../messages/fields.ts'
import { timings } from './duration.ts'
import { UsageError } from './usage-error.ts'

/** What a device is and has, told by its makers; what is left out is read off its birth. YAML or JSON. */
export const profileSchema = z.strictObject({
  /** What it can do: cases that need more are skipped. */
  caps: z.array(z.enum(['speaker', 'screen', 'qr'])).optional(),
  /** Languages of its clip packs. */
  lang: z.array(language).min(1).optional(),
  /** Bytes of its receive buffer for a whole PUBLISH. */
  rx: z.int().min(128).max(60_000).optional(),
  /** Whether announcements can wait while another one is spoken. */
  queue: z.boolean().optional(),
  /** Where it has its time from: the hub's welcome, or a clock of its own. */
  clock: z.enum(['hub', 'own']).optional(),
  /** A shell command that cuts its power and switches it on again. */
  powerCycle: z.string().min(1).optional(),
  /** A shell command that makes it end its session cleanly, as before a restart. */
  goodbye: z.string().min(1).optional(),
  /** A shell command that answers what a person would be asked: see README.md. */
  answers: z.string().min(1).optional(),
  timings: timings.prefault({}),
})
export type Profile = z.infer<typeof profileSchema>

/** Reads the text of a profile; `file` names it in a `UsageError`. */
export function parseProfile(file: string, text: string): Profile {
  let given: unknown
  try {
    given = parse(text) ?? {}
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const parsed = profileSchema.safeParse(given)
  if (!parsed.success) throw new UsageError(`${file} is no profile:\n${z.prettifyError(parsed.error)}`)
  return parsed.data
}

export function readProfile(path: string): Profile {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(
      `the profile can't be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  return parseProfile(path, text)
}
