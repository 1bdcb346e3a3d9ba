import type { Clock } from '../../../platform/clock.ts'
import { OperatorError } from '../../../platform/errors.ts'
import type { Actor } from '../../../security/actor.ts'
import { keyIdOf, type Vault } from '../../../security/vault.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { noteChangeIn } from '../engine/audit-trail.ts'
import { openDatabase, type PostgresDatabase, type Tx } from '../engine/database.ts'
import { RESEALED, type Resealed, resealTable } from './reseal.ts'

/**
 * A transaction that has sealed under the previous key has ended so long after the change: no hub seals under it after ten
 * seconds, and the time limits of a connection end what goes on.
 */
const SETTLED_MS = 30_000
/** The first schema whose hubs open under two keys. */
const SCHEMA_OF_TWO_KEYS = 7

export interface RotationOptions {
  /** The id of the key to change to. */
  next: string
  by: Actor
  clock: Pick<Clock, 'after' | 'elapsed'>
  /** Hears how far a table is. */
  onBatch: (table: string, resealed: Resealed) => void
  settledMs?: number
}

export interface Rotation {
  /** False: no row was under another key, and the key in force is the next one already. */
  rotated: boolean
  keyId: string
  previousKeyId?: string
  /** Rows by table. */
  resealed: Record<string, number>
}

interface Begun {
  keyId: string
  /** The key that rows may still be sealed under. */
  previous: { id: string; until: number } | undefined
}

/**
 * Changes the master key beside running hubs, each of which has both keys:
 *  1. in one transaction put the canary under the next key: from then on hubs seal under it, and no hub starts without
 *     both keys,
 *  2. seal all rows anew, again and again until a pass has found none that is under another key,
 *  3. give the previous key up: hubs may start without it.
 * The process may die at any point: the next call goes on.
 */
export async function rotateOnline(
  url: string,
  vault: Vault,
  { next, by, clock, onBatch, settledMs = SETTLED_MS }: RotationOptions,
): Promise<Rotation> {
  const database = await openDatabase(url, vault)
  try {
    const { keyId, previous } = await database.write((tx) => begin(tx, database, next, by))
    const resealed = new Map(RESEALED.map(({ table }) => [table, 0]))
    if (!previous) return { rotated: false, keyId, resealed: {} }
    await database.askForKey()
    for (;;) {
      const settlesInMs = previous.until + settledMs - (await databaseTime(database))
      if ((await pass()) === 0 && settlesInMs <= 0) break
      await new Promise<void>((done) => clock.after(Math.max(0, Math.min(settlesInMs, 1_000)), done))
    }
    const of = Object.fromEntries(resealed)
    await database.write((tx) => end(tx, by, keyId, previous.id, of))
    return { rotated: true, keyId, previousKeyId: previous.id, resealed: of }

    /** Rows that were under another key. */
    async function pass(): Promise<number> {
      let found = 0
      for (const table of RESEALED) {
        let last: Resealed | undefined
        let startedAt = clock.elapsed()
        for await (last of resealTable(database, table, keyId)) {
          onBatch(table.table, last)
          // As long as the page took: payments have at least half of what a page needs.
          await new Promise<void>((done) => clock.after(clock.elapsed() - startedAt, done))
          startedAt = clock.elapsed()
        }
        if (!last) continue
        resealed.set(table.table, (resealed.get(table.table) ?? 0) + last.resealed)
        found += last.resealed + last.skipped
      }
      return found
    }
  } finally {
    await database.close()
  }
}

/** Puts the next key in force, or finds that it is. */
async function begin(tx: Tx, { vault }: PostgresDatabase, next: string, by: Actor): Promise<Begun> {
  // Waits for the transactions that hold the key in force.
  const [canary] = await tx.query<{ sealed: Buffer; at: number }>(
    'rotation.lock',
    'SELECT sealed, clock_ms() AS at FROM vault_canary FOR UPDATE',
  )
  if (!canary) throw new Error('an open database has a canary')
  const keyId = keyIdOf(canary.sealed)
  const earlier = await tx.query<{ id: string; until: number; isNeeded: boolean }>(
    'rotation.earlier',
    'SELECT id, until, given_up_at IS NULL AS "isNeeded" FROM previous_master_keys',
  )
  const unfinished = earlier.find(({ isNeeded }) => isNeeded)
  if (unfinished) return { keyId, previous: unfinished }
  if (keyId === next) return { keyId, previous: undefined }
  if (earlier.some(({ id }) => id === next))
    throw new OperatorError(
      `HUB_NEXT_MASTER_KEY (${next}) is an earlier master key of this database: set it to a new one (openssl rand -base64 32).`,
    )
  await refuseHubsWithout(tx, next)
  vault.sealUnder(next)
  const sealed = sealedFields(vault, 'vaultCanary').seal(1, 'sealed', 'canary')
  await tx.query('rotation.canary', 'UPDATE vault_canary SET sealed = $1', [sealed])
  await tx.query('rotation.begin', 'INSERT INTO previous_master_keys (id, until) VALUES ($1, $2)', [
    keyId,
    canary.at,
  ])
  await tx.query('rotation.oldestHub', 'UPDATE schema SET oldest_hub = greatest(oldest_hub, $1)', [
    SCHEMA_OF_TWO_KEYS,
  ])
  const details = { step: 'begun', from: keyId, to: next }
  await noteChangeIn(tx, { by, at: canary.at, action: 'master-key.rotate', subject: '', details })
  return { keyId: next, previous: { id: keyId, until: canary.at } }
}

async function refuseHubsWithout(tx: Tx, keyId: string) {
  const hubs = await tx.query<{ host: string; pid: number; version: string }>(
    'rotation.hubs',
    'SELECT host, pid, version FROM live_hubs WHERE key_ids IS NULL OR $1 <> ALL (key_ids) ORDER BY started_at',
    [keyId],
  )
  const [named] = hubs.map(({ host, pid, version }) => `${host} process ${pid}, version ${version}`)
  if (named === undefined) return
  throw new OperatorError(
    `${hubs.length} of the running hubs lack the key of HUB_NEXT_MASTER_KEY (the first: ${named}): start each hub anew with HUB_MASTER_KEY and HUB_NEXT_MASTER_KEY, and run the command again.`,
  )
}

async function end(
  tx: Tx,
  by: Actor,
  keyId: string,
  previousKeyId: string,
  resealed: Record<string, number>,
) {
  const [given] = await tx.query<{ at: number }>(
    'rotation.end',
    `UPDATE previous_master_keys SET given_up_at = clock_ms() WHERE id = $1 AND given_up_at IS NULL
     RETURNING given_up_at AS at`,
    [previousKeyId],
  )
  // Another command has ended it.
  if (!given) return
  const details = { step: 'ended', from: previousKeyId, to: keyId, resealed }
  await noteChangeIn(tx, { by, at: given.at, action: 'master-key.rotate', subject: '', details })
}

async function databaseTime({ read }: PostgresDatabase): Promise<number> {
  const [row] = await read<{ at: number }>('rotation.time', 'SELECT clock_ms() AS at')
  if (!row) throw new Error('a SELECT without FROM has one row')
  return row.at
}
