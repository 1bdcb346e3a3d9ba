import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { when } from '../for-people.ts'
import { done, fields, type Outcome, outcome, table } from './output.ts'
import { masterKeysOfPostgres, rotateInPostgres } from './workspace.ts'

const SET_NOW =
  'Set HUB_MASTER_KEY to the value of HUB_NEXT_MASTER_KEY at each hub, unset the latter, and start the hubs anew, one after another.'
const KEEP = 'Backups made before need the earlier key: keep it with them.'
/** Between two lines about one table. */
const PRINT_EVERY_MS = 5_000

/** Seals everything in PostgreSQL under the next master key, while hubs run. Its progress goes to standard error. */
export async function masterKeyRotateOnline({ postgres, nextMasterKey }: Config): Promise<Outcome> {
  if (!postgres) throw new Error('the database is in the data folder')
  if (!nextMasterKey)
    throw new OperatorError(
      'HUB_NEXT_MASTER_KEY is not set: set it to the new key (openssl rand -base64 32), at each hub and here.',
    )
  let printedAt = systemClock.elapsed()
  const rotation = await rotateInPostgres(postgres, nextMasterKey, (name, { rows, resealed }) => {
    if (systemClock.elapsed() - printedAt < PRINT_EVERY_MS) return
    printedAt = systemClock.elapsed()
    process.stderr.write(`${name}: looked at ${rows} rows, sealed ${resealed} anew\n`)
  })
  const { rotated, keyId, previousKeyId, resealed } = rotation
  const todo = rotated ? [SET_NOW, KEEP] : [SET_NOW]
  if (!rotated)
    return done({ ...rotation, todo }, `The database is already sealed under the key ${keyId}. ${SET_NOW}`)
  const rows = Object.values(resealed).reduce((sum, count) => sum + count, 0)
  const sentence = `The master key is rotated: ${rows} rows are sealed under the new one (${keyId}), and none under the earlier one (${previousKeyId}).`
  return done({ ...rotation, todo }, sentence, ...todo)
}

/** Counts all sealed values by their key. Not done while something needs another key than the one in force. */
export async function masterKeyStatus(): Promise<Outcome> {
  const status = await masterKeysOfPostgres()
  const { inForce, previous, hubs, values, given } = status
  const settings = Object.keys(given).filter((name) => given[name] === inForce)
  const rows = Object.entries(values).flatMap(([name, counts]) =>
    Object.entries(counts).map(([id, count]) => [name, id, String(count)]),
  )
  const ids = new Set(Object.values(values).flatMap(Object.keys))
  const isClean = previous.length === 0 && [...ids].every((id) => id === inForce)
  const sentence = isClean
    ? `Nothing is sealed under another key than ${inForce}.`
    : `Values may be sealed under another key than ${inForce}: run hub master-key rotate, which goes on.`
  return outcome(
    isClean,
    { ...status, isClean },
    sentence,
    fields({
      'key in force': `${inForce} (${settings.join(', ') || 'in none of the settings'})`,
      'still needed':
        previous.map(({ id, until }) => `${id}, in force until ${when(until)}`).join('; ') || '-',
      hubs:
        hubs
          .map(({ host, pid, keyIds }) => `${host} process ${pid}: ${keyIds?.join(' and ') ?? 'one key'}`)
          .join('; ') || '-',
    }),
    table(['TABLE', 'KEY', 'VALUES'], rows, 'No table has a sealed value.'),
  )
}
