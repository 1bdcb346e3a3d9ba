import { type ClientBase, DatabaseError } from 'pg'
import { refuseStandby } from './primary.ts'

/**
 * System identifier and timeline. The timeline rises when a standby takes over, and when a base backup is restored.
 *
 * Why not the timeline of pg_control_checkpoint(): it is the old one until the first checkpoint, some 0.2 to 0.9 s after
 * the standby has taken over (measured on 15 and 18).
 */
export const IDENTITY = `CASE WHEN NOT pg_is_in_recovery() THEN
  (SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) END`

/** Whether the server has another one that a commit may wait for. */
export const HAS_STANDBYS = "current_setting('synchronous_standby_names') <> ''"
/** Whether a commit of this connection waits for it. */
export const WAITS = "current_setting('synchronous_commit') NOT IN ('off', 'local')"

/** A permission that is denied, a function that the server does not have, or one that it refuses: managed servers do. */
const NOT_TOLD = ['42501', '42883', '0A000']
/** More than the changes that a server can lack. */
const REVISIONS_LOST = 1_000_000
/** Every device of a large fleet is given up in one commit. */
const ADOPT_TIMEOUT_MS = 120_000

interface Look {
  isStandby: boolean
  identity: string | null
  known: string | null
  isReadOnly: boolean
}

/**
 * Checks a new connection before its first act. Throws for a standby.
 *
 * When another server has taken over without synchronous replication, it may lack the last commits, and with them numbers
 * that connected devices have played. It would give them again, and a device is silent about a number that it has played.
 * So the first connection takes every device from its session: no hub numbers, takes or sends for it until its next
 * birth, which says what it has played.
 */
export async function checkServer(client: ClientBase) {
  const look = await lookAt(client)
  if (!look) return refuseStandby(client)
  if (look.isStandby) throw new Error('it is a standby')
  if (look.identity !== look.known && !look.isReadOnly) await adopt(client, look.identity)
}

/** Undefined when the server does not say who it is. */
async function lookAt(client: ClientBase): Promise<Look | undefined> {
  try {
    const { rows } = await client.query<Look>(
      `SELECT pg_is_in_recovery() AS "isStandby", ${IDENTITY} AS identity, identity AS known,
         current_setting('transaction_read_only') = 'on' AS "isReadOnly" FROM server`,
    )
    return rows[0]
  } catch (error) {
    if (error instanceof DatabaseError && NOT_TOLD.includes(error.code ?? '')) return undefined
    throw error
  }
}

/** Stores which server this is. One connection of all hubs does it. The others wait for it, up to their lock_timeout. */
async function adopt(client: ClientBase, identity: string | null) {
  await client.query('BEGIN')
  try {
    await client.query(`SET LOCAL statement_timeout = ${ADOPT_TIMEOUT_MS}`)
    const { rows } = await client.query<{ known: string | null; synchronous: boolean }>(
      'SELECT identity AS known, synchronous FROM server FOR UPDATE',
    )
    const [before] = rows
    if (before && before.known !== identity) {
      if (before.known !== null && !before.synchronous) {
        await giveAllUp(client)
        await forgetRevisions(client)
      }
      await client.query(`UPDATE server SET identity = $1, synchronous = ${HAS_STANDBYS} AND ${WAITS}`, [
        identity,
      ])
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** Hubs that have seen a revision which this server lacks must not take a later change for that one. */
async function forgetRevisions(client: ClientBase) {
  await client.query('UPDATE revisions SET revision = revision + $1', [REVISIONS_LOST])
}

async function giveAllUp(client: ClientBase) {
  const text = 'UPDATE device_state SET session_id = NULL, hub = NULL WHERE session_id IS NOT NULL'
  const query = { text, query_timeout: ADOPT_TIMEOUT_MS }
  await client.query(query)
}
