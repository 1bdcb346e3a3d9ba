import { describe, expect, it } from 'vitest'
import type { Payment } from '../../../../../server/payments/payment.ts'
import type { Storage } from '../../../../../server/storage/ports.ts'
import { AT, createShop } from '../../../../server/storage/shop.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { until } from '../../../../support/wait.ts'
import { openHolder } from './holder.ts'

const postgres = await startTestPostgres()

describe.skipIf(!postgres)('the keys of payments that two hubs record at once', () => {
  if (!postgres) return

  // In another order each of the two transactions may wait for a key of the other one: a deadlock.
  it('are locked in one order, whatever the order of the payments', async () => {
    const url = await postgres.database()
    const [here, there] = [await postgres.open(url), await postgres.open(url)]
    const shop = createShop(here)
    const clientId = await shop.partner()
    // Two tills: the lock of a speaker would let the second hub wait before the keys.
    for (const terminalID of ['T1', 'T2']) await shop.speaker(clientId, terminalID)
    const paymentOf = (terminalID: string) => (ftCode: string) =>
      shop.payment(clientId, { ftCode, terminalID, contentHash: 'the same' })
    /** Calls of one turn go together. */
    const record = ({ payments }: Storage, batch: Payment[]) =>
      Promise.all(batch.map((payment) => payments.record(payment)))

    const { client, waiting } = await openHolder(url)
    const middle = paymentOf('T1')('FT-2')
    await client.query('BEGIN')
    await client.query('INSERT INTO payment_keys VALUES ($1, $2, $3, 0, $4)', [
      ...[clientId, middle.ftCode, middle.dedupeKey, AT],
    ])
    const first = record(here, ['FT-1', 'FT-2', 'FT-3'].map(paymentOf('T1')))
    await until('the first hub waits', async () => (await waiting()) === 1)
    const second = record(there, ['FT-3', 'FT-2', 'FT-1'].map(paymentOf('T2')))
    await until('the second hub waits', async () => (await waiting()) === 2)
    const { rows } = await client.query(
      `SELECT count(*)::int AS behind FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
    )
    await client.query('ROLLBACK')
    // The second hub waits for the first one, behind FT-1.
    expect(rows).toEqual([{ behind: 1 }])
    expect((await first).map(({ kind }) => kind)).toEqual(Array(3).fill('recorded'))
    expect((await second).map(({ kind }) => kind)).toEqual(Array(3).fill('replayed'))
  })
})
