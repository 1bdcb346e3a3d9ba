import { done, type Outcome, when } from './output.ts'
import { restoreFolder } from './workspace.ts'

const AFTERWARDS = [
  'Start the hub. Speakers need nothing: at its birth each tells what it has played, and the hub numbers on above it.',
  'Have payments from after the backup reported again: each is recorded once, whether the backup has it or not.',
  'What was made, changed or revoked after the backup (partners, secrets, devices, shops) is as it was before: do it again.',
]

/** Puts a backup in the place of the database; the one from before is kept. */
export async function restore(file: string, force: boolean): Promise<Outcome> {
  const { payments, newestAt, keptAs } = restoreFolder(file, force)
  const kept = keptAs === undefined ? [] : [`  the database from before  ${keptAs}`]
  return done(
    { file, payments, newestPaymentAt: newestAt ?? null, keptAs: keptAs ?? null, todo: AFTERWARDS },
    [
      `${file} is restored: ${payments} payments, the newest received at ${when(newestAt)}.`,
      ...kept,
      ...AFTERWARDS,
    ].join('\n'),
  )
}
