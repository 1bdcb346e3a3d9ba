import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { until } from '../../../../support/wait.ts'

/** Opens a connection to a database, which can hold rows that hubs want. The end of the test closes it. */
export async function openHolder(url: string) {
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())

  /** How many acts wait for a lock. The server's list of sessions stands still in a transaction, that of locks does not. */
  async function waiting(): Promise<number> {
    const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM pg_locks WHERE NOT granted')
    return Number(rows[0]?.count)
  }

  return {
    client,
    waiting,
    /**
     * Runs statements, and functions that do not meet them, in a transaction. Begins the acts one behind the other, each
     * once all before it wait, and commits when all wait: the one that began first goes on first.
     */
    async hold<T extends unknown[]>(
      before: (string | (() => Promise<unknown>))[],
      ...acts: { [I in keyof T]: () => Promise<T[I]> }
    ): Promise<T> {
      await client.query('BEGIN')
      for (const one of before) await (typeof one === 'string' ? client.query(one) : one())
      const results: Promise<unknown>[] = []
      for (const act of acts) {
        const result = act()
        result.catch(() => undefined)
        results.push(result)
        await until('the act waits', async () => (await waiting()) === results.length)
      }
      await client.query('COMMIT')
      // Each act has its own type.
      return (await Promise.all(results)) as T
    },
  }
}

/** The statement that locks a device for a payment, a birth and all that numbers its commands. */
export function lockOf(deviceId: string): string {
  return `SELECT FROM device_state
    WHERE device_number = (SELECT number FROM devices WHERE id = '${deviceId}') FOR NO KEY UPDATE`
}
