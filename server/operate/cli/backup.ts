import { systemClock } from '../../platform/clock.ts'
import { done, type Outcome, when } from './output.ts'
import { backUpFolder } from './workspace.ts'

const BYTES_PER_MB = 1024 * 1024

/** Copies the database to a file, also while a hub works on it. */
export async function backup(file: string): Promise<Outcome> {
  const startedAt = systemClock.now()
  const { bytes, payments, newestAt, key } = backUpFolder(file)
  const ms = systemClock.now() - startedAt
  const note = `The master key is not in it, and without it the backup is worth nothing: keep ${key} too, at another place.`
  return done(
    { file, bytes, ms, payments, newestPaymentAt: newestAt ?? null, needsKey: key, note },
    [
      `${file}: ${(bytes / BYTES_PER_MB).toFixed(1)} MB in ${(ms / 1000).toFixed(1)} s, whole and readable under the master key.`,
      `  payments  ${payments}, the newest received at ${when(newestAt)}`,
      note,
    ].join('\n'),
  )
}
