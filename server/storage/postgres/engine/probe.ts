import { DatabaseError } from 'pg'
import { HubError } from '../../../platform/errors.ts'
import type { StorageCircuit } from '../../circuit.ts'
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
