import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AT, createShop } from '../../../../server/storage/shop.ts'
import { startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts'
import { until } from '../../../../support/wait.ts'

const postgres = await startTestPostgres()

/** A shop, and two writers beside the hub whose transactions a test begins and commits. */
async function world({ database, open }: TestPostgres) {
  const url = await database()
  const [storage, other] = [await open(url), await open(url)]
  const shop = createShop(storage)
  const clientId = await shop.partner()
  await shop.speaker(clientId)
  while ((await storage.events.number(1_000)) > 0);
  const { next: since } = await storage.events.page(clientId, { after: 0, limit: 100 })
  async function writer() {
    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    return {
      client,
      /** Begins a payment. Its event is written, and nobody sees it yet. */
      async begin(ftCode: string) {
        await client.query('BEGIN')
        await client.query(
          `INSERT INTO payments (id, client_id, store_id, dedupe_key, outcome, terminal_id, bank_code, bill_number, amount,
             paid_at, trace_transfer, ft_code, sealed, received_at)
           VALUES ($1, $2, 'store', $1, 'static_qr', 'T1', 'MB', '', 1000, $3, '1', $1, '', $3)`,
          [ftCode, clientId, AT],
        )
      },
      commit: () => client.query('COMMIT'),
    }
  }
  /** A reader that goes on from the last seq that it has seen. */
  function reader() {
    let after = since
    const seen: unknown[] = []
    const seqs: number[] = []
    return {
      seen,
      seqs,
      async read() {
        const page = await storage.events.page(clientId, { after, limit: 100 })
        for (const { seq, data } of page.events) {
          seqs.push(seq)
          seen.push(data.ftCode)
        }
        after = page.next
      },
    }
  }
  return { storage, other, shop, clientId, first: await writer(), second: await writer(), reader: reader() }
}

describe.skipIf(!postgres)('on PostgreSQL, one that reads on from the last seq', () => {
  if (!postgres) return

  it('misses none of two writers whose commits come in the reverse order', async () => {
    const { storage, first, second, reader } = await world(postgres)
    await first.begin('first')
    await second.begin('second')
    await second.commit()
    // The trap: numbers that are drawn before the commit become visible in the reverse order.
    const drawn = async () => (await second.client.query('SELECT number FROM event_queue')).rows[0].number
    const before = Number(await drawn())
    expect(await storage.events.number(1_000)).toBe(1)
    await reader.read()
    expect(reader.seen).toEqual(['second'])
    await first.commit()
    expect(Number(await drawn())).toBeLessThan(before)
    expect(await storage.events.number(1_000)).toBe(1)
    await reader.read()
    expect(reader.seen).toEqual(['second', 'first'])
    expect(reader.seqs).toEqual(reader.seqs.toSorted((a, b) => a - b))
  })

  it('misses none when two hubs give seqs at once, and one of them stands still before its commit', async () => {
    const { storage, other, shop, clientId, first, reader } = await world(postgres)
    await shop.pay(clientId, { ftCode: 'before' })
    // As a hub that has begun to give seqs and stands still: it holds the row.
    await first.client.query('BEGIN')
    await first.client.query('SELECT 1 FROM event_sequence FOR UPDATE')
    const both = Promise.all([storage.events.number(1_000), other.events.number(1_000)])
    await until('both hubs wait', async () => {
      await first.client.query('SELECT pg_stat_clear_snapshot()')
      const { rows } = await first.client.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      return rows.length === 2
    })
    await reader.read()
    expect(reader.seen).toEqual([])
    await shop.pay(clientId, { ftCode: 'meanwhile' })
    await first.client.query('COMMIT')
    expect((await both).toSorted()).toEqual([0, 2])
    await reader.read()
    expect(reader.seen).toEqual(['before', 'meanwhile'])
    expect(await storage.events.number(1_000)).toBe(0)
  })

  it('gets events above all that it has read from a database that was restored from an older backup', async () => {
    const { storage, shop, clientId, first, reader } = await world(postgres)
    await shop.pay(clientId, { ftCode: 'lost' })
    await storage.events.number(1_000)
    await reader.read()
    const [highest = 0] = reader.seqs
    await first.client.query('DELETE FROM events WHERE seq >= $1', [highest])
    await first.client.query('UPDATE event_sequence SET last = 0')
    await shop.pay(clientId, { ftCode: 'later' })
    await storage.events.number(1_000)
    await reader.read()
    expect(reader.seen).toEqual(['lost', 'later'])
    expect(reader.seqs[1]).toBeGreaterThan(highest)
  })

  it('gets more than one step of events in their order', async () => {
    const { storage, first, clientId, reader } = await world(postgres)
    await first.client.query(
      `INSERT INTO event_queue (client_id, at, type, data)
       SELECT $1, $2, 'webhook.test', json_build_object('ftCode', n)::text FROM generate_series(1, 1100) n`,
      [clientId, AT],
    )
    expect([await storage.events.number(1_000), await storage.events.number(1_000)]).toEqual([1_000, 100])
    for (let pages = 0; pages < 11; pages += 1) await reader.read()
    expect(reader.seen).toEqual(Array.from({ length: 1_100 }, (_, index) => index + 1))
  })

  it('is not delayed by removed rows: after so many, the queue is vacuumed', async () => {
    const { storage, first, clientId } = await world(postgres)
    await first.client.query(
      `INSERT INTO event_queue (client_id, at, type, data)
       SELECT $1, $2, 'webhook.test', '{}' FROM generate_series(1, 51000) n`,
      [clientId, AT],
    )
    while ((await storage.events.number(10_000)) > 0);
    await until('it is vacuumed', async () => {
      const { rows } = await first.client.query(
        "SELECT vacuum_count FROM pg_stat_user_tables WHERE relname = 'event_queue'",
      )
      return rows[0].vacuum_count === '1'
    })
  })
})
