import { DatabaseError } from 'pg'
import { HubError } from '../../../platform/errors.ts'
import type { StorageCircuit } from '../../circuit.ts'
import { unavailable } from '../../shared/storage-errors.ts'
import { createConnections, type ServerChoice } from './pool.ts'

/** A second probe goes out while the first one waits on a connection that may be dead. */
const CONNECTIONS = 2
const CONNECT_TIMEOUT_MS = 1_000
/**
 * A durable commit that takes no lock and writes no row: it waits for what a payment waits for, the disk and the standbys.
 * Any role may call it.
 */
const PROBE = "SELECT pg_logical_emit_message(true, 'soundbox-hub', '')"

/** Lets the circuit probe the server, on connections of their own. The returned function ends it, and waits for nothing. */
export function watchServer(circuit: StorageCircuit, server: ServerChoice): () => void {
  const { query, close } = createConnections(server, CONNECTIONS, {
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  const endWatch = circuit.watch(async () => {
    try {
      await query('circuit.probe', PROBE)
    } catch (error) {
      if (!isAnswer(error)) throw error
    }
  })
  return () => {
    endWatch()
    close().catch(() => undefined)
  }
}

/** The server has refused the probe, or the connection: it answers. */
function isAnswer(error: unknown): boolean {
  return error instanceof DatabaseError || (error instanceof HubError && error.cause instanceof DatabaseError)
}

/** What a payment and its acks write, by the rights that they take. */
const NEEDED = [
  ...['payments', 'payment_keys', 'announcements', 'open_announcements', 'event_queue'].map(
    (table) => `('${table}', 'INSERT')`,
  ),
  ...['announcements', 'stores', 'bills', 'device_state'].map((table) => `('${table}', 'UPDATE')`),
  "('open_announcements', 'DELETE')",
]
const MISSING = `SELECT "right" || ' on ' || "table" AS missing FROM (VALUES ${NEEDED}) AS needed ("table", "right")
  WHERE NOT has_table_privilege("table", "right")
  UNION ALL SELECT 'USAGE on payments_number_seq' WHERE NOT has_sequence_privilege('payments_number_seq', 'USAGE')`

/** Fails while the database is read-only. It changes nothing, and must be no part of a longer transaction: all hubs touch it. */
const TOUCH = 'UPDATE vault_canary SET id = 1'

/**
 * Fails unless the disk has room for 64 pages of 8 kB, more than a batch of payments takes.
 *
 * Why a temporary table: a row of another one may fit into a page that is there already. This one has a row in each page, and
 * is emptied at the commit, without a trace in the server's log. A role that may not make one does without this part.
 */
const TAKE_ROOM = `DO $$ BEGIN
  IF has_database_privilege(current_database(), 'TEMPORARY') THEN
    IF to_regclass('pg_temp.room') IS NULL THEN
      CREATE TEMPORARY TABLE room (filler text) WITH (fillfactor = 10) ON COMMIT DELETE ROWS;
    END IF;
    INSERT INTO pg_temp.room SELECT repeat('x', 1500) FROM generate_series(1, 64);
  END IF;
END $$`

/**
 * Proves that payments can be stored: the role has the rights, the database is not read-only, the disk has room. `run` runs a
 * statement outside a transaction. Throws what keeps payments out.
 */
export async function probeWrites<R extends object>(
  run: (name: string, text: string) => Promise<R[]>,
): Promise<void> {
  const missing = await run('ping.rights', MISSING)
  if (missing.length > 0) {
    const rights = missing.flatMap((row) => Object.values(row))
    throw unavailable(new Error(`the role of HUB_DATABASE_URL lacks ${rights.join(', ')}`))
  }
  await run('ping.touch', TOUCH)
  await run('ping.room', TAKE_ROOM)
}
