import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { openedOutbox } from '../../../../server/storage/contract/outbox.ts'
import { AT } from '../../../../server/storage/shop.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { until } from '../../../../support/wait.ts'

const postgres = await startTestPostgres()

const PAYMENTS = 100

it.skipIf(!postgres)(
  'a stage writes one row and no index: at least 95 % of the updates are HOT',
  async () => {
    if (!postgres) return
    const url = await postgres.database()
    const storage = await postgres.open(url)
    const { owner, announced, step } = await openedOutbox({ storage, reopen: async () => storage })
    for (let paid = 0; paid < PAYMENTS; paid += 1) {
      const { id } = await announced()
      await storage.outbox.markSent(id, owner, AT)
      for (const stage of ['received', 'played'] as const) await storage.outbox.recordAck(step(id, stage), AT)
    }

    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    const updates = async () => {
      const { rows } = await client.query<{ all: number; hot: number }>(
        `SELECT sum(n_tup_upd)::integer AS all, sum(n_tup_hot_upd)::integer AS hot FROM pg_stat_user_tables
         WHERE relname LIKE 'announcements%'`,
      )
      return rows[0] ?? { all: 0, hot: 0 }
    }
    // A connection reports what it has done when it ends.
    await storage.close()
    await until('all updates are counted', async () => (await updates()).all === 3 * PAYMENTS)
    expect((await updates()).hot / (3 * PAYMENTS)).toBeGreaterThanOrEqual(0.95)
  },
)
