import { when } from '../for-people.ts'
import { done, type Outcome } from './output.ts'
import { restoreFolder } from './workspace.ts'

const AFTERWARDS = [
  'Start the hub. Speakers need nothing: each reports what it has played, and the hub continues with higher numbers.',
  'Let the processor report payments from after the backup again: each is recorded once, whether the backup has it or not.',
  'Repeat the changes made after the backup: created, changed or revoked partners, secrets, devices and shops.',
]

/** Replaces the database by a backup; the replaced database is kept. */
export async function restore(file: string, { force = false }: { force?: boolean }): Promise<Outcome> {
  const { payments, newestAt, keptAs } = await restoreFolder(file, force)
  const kept = keptAs === undefined ? [] : [`  replaced database  ${keptAs}`]
  return done(
    { file, payments, newestPaymentAt: newestAt ?? null, keptAs: keptAs ?? null, todo: AFTERWARDS },
    `${file} is restored: ${payments} payments, the newest received at ${when(newestAt)}.`,
    ...kept,
    ...AFTERWARDS,
  )
}
