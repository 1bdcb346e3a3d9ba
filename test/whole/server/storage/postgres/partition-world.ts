import { Client } from 'pg'
import { expect, onTestFinished } from 'vitest'
import type { Storage } from '../../../../../server/storage/ports.ts'
import { createShop, payWell } from '../../../../server/storage/shop.ts'
import type { TestPostgres } from '../../../../support/postgres.ts'

const DAY_MS = 24 * 60 * 60_000
/** Kept so long, rows are in partitions of a day each. */
export const KEEP_MS = 8 * DAY_MS
export const WIDTH = 10_000_000_000
export async function connected(url: string) {
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** A shop on a database whose clock goes by days from its start, and payments that its speaker has played. */
export async function partitionWorld({ database, open }: TestPostgres) {
  const url = await database()
  const client = await connected(url)
  const start = Date.now()
  let day = 0
  const at = (after: number) => start + after * DAY_MS
  const storage = await open(url)
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)

  async function setClock(next: number) {
    day = next
    await client.query(
      `CREATE OR REPLACE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE RETURN ${at(day)}`,
    )
  }

  async function pay(ftCode: string, by = speaker) {
    const { announcements, answer } = await payWell(shop, clientId, {
      ...{ ftCode, receivedAt: at(day), contentHash: 'the same', paidAt: at(day) },
    })
    const { id: announcementId = '', n } = announcements.find((one) => one.deviceId === by.deviceId) ?? {}
    return { ftCode, answer, announcementId, commandNumber: n ?? 0, deviceId: by.deviceId }
  }
  async function play({ announcementId, commandNumber, deviceId }: Awaited<ReturnType<typeof pay>>) {
    const step = { announcementId, commandNumber, deviceId, reason: undefined, stage: 'played' as const }
    expect(await storage.outbox.recordAck(step, at(day))).toBe('moved')
  }

  return {
    ...{ url, client, storage, shop, clientId, speaker, at, pay, play, setClock },
    paid: async (ftCode: string) => play(await pay(ftCode)),
    /** Lets the database's clock show the beginning of a day, and retention go by it. */
    async toDay(next: number, keepMs = KEEP_MS) {
      await setClock(next)
      return await retain(storage, at(day), keepMs)
    },
    names: () => partitionsOf(client),
    isKnown: async (ftCode: string) => (await storage.payments.findByFtCode(clientId, ftCode)) !== undefined,
  }
}

/** A pass of retention. Returns how many payments and events it has deleted. */
export async function retain({ retention, events }: Storage, now: number, keepMs: number) {
  while ((await events.number(1_000)) > 0);
  const all = async (prune: (after: string) => ReturnType<typeof retention.pruneEvents>) => {
    let deleted = 0
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await prune(after)
      deleted += page.deleted
      after = page.next
    }
    return deleted
  }
  const prunedEvents = await all((after) => retention.pruneEvents(now - keepMs, after))
  const payments = await all((after) => retention.prunePayments(now - keepMs, after, now))
  return { payments, events: prunedEvents }
}

async function partitionsOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = $1 ORDER BY 1',
    ['r'],
  )
  return rows.map(({ name }) => name)
}
