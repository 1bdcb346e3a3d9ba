import { Client } from 'pg'
import { type Clock, systemClock } from '../../../../server/platform/clock.ts'
import type { TestPostgres } from '../../../support/postgres.ts'

/** Hubs wait for an answer as long as this, or longer. They look again sooner. */
const SHORTEST_DEADLINE_MS = 5_000
const NOW = systemClock.now()

/** A machine whose time stands still: its hubs look again as ever, and no deadline passes, however slow a test is. */
export const stillClock: Clock = {
  now: () => NOW,
  elapsed: () => 0,
  after: (delayMs, act) =>
    delayMs < SHORTEST_DEADLINE_MS ? systemClock.after(delayMs, act) : () => undefined,
}

/** Lets PostgreSQL's time stand still from now on, later by so much. */
export async function stopDatabaseClock(client: Pick<Client, 'query'>, laterMs = 0) {
  const { rows } = await client.query<{ at: string }>('SELECT clock_ms() + $1::bigint AS at', [laterMs])
  await client.query(
    `CREATE OR REPLACE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE RETURN ${rows[0]?.at}::bigint`,
  )
}

/** The address of a new database whose time stands still. */
export async function stillDatabase({ database }: TestPostgres): Promise<string> {
  const url = await database()
  const client = new Client(url)
  await client.connect()
  await stopDatabaseClock(client)
  await client.end()
  return url
}
