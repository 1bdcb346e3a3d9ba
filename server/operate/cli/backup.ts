import { systemClock } from '../../platform/clock.ts'
import { when } from '../for-people.ts'
import { done, type Outcome } from './output.ts'
import { backUpFolder } from './workspace.ts'

const BYTES_PER_MB = 1024 * 1024

/** Copies the database to a file, also while a hub is running. */
export function backup(file: string): Outcome {
  const startedAt = systemClock.now()
  const { bytes, payments, newestAt, key } = backUpFolder(file)
  const ms = systemClock.now() - startedAt
  const note = `The master key is not in it, and the backup cannot be read without it: keep ${key} too, in another place.`
  return done(
    { file, bytes, ms, payments, newestPaymentAt: newestAt ?? null, needsKey: key, note },
    `${file}: ${(bytes / BYTES_PER_MB).toFixed(1)} MB in ${(ms / 1000).toFixed(1)} s, complete and readable under the master key.`,
    `  payments  ${payments}, the newest received at ${when(newestAt)}`,
    note,
  )
}
