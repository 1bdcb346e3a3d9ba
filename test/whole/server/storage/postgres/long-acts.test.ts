import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { OPEN_AT_ONCE } from '../../../../../server/announcements/ports.ts'
import { FIRST_PAGE, PAGE } from '../../../../../server/storage/shared/pages.ts'
import { LONG_ACTS, STALE_AT } from '../../../../server/storage/long-acts.ts'
import { AT, bornWith, createShop } from '../../../../server/storage/shop.ts'
import { startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts'
import { eventually } from '../../../../support/wait.ts'

const postgres = await startTestPostgres()
/** A whole page behind the first small one, and a part of another. */
const MANY = PAGE + 150

/** A speaker with many announcements. */
async function world({ database, open }: TestPostgres) {
  const url = await database()
  const commits: number[] = []
  const observe = { stage: () => undefined, commit: () => void commits.push(1) }
  const storage = await open(url, { observe })
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  await Promise.all(Array.from({ length: MANY }, () => shop.pay(clientId, { amount: '3' })))
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const count = async (where: string) => {
    const { rows } = await client.query(`SELECT count(*)::int AS count FROM announcements WHERE ${where}`)
    return rows[0]?.count
  }
  const owner = { deviceId: speaker.deviceId, sessionId: 'a'.repeat(16) }
  return { url, storage, shop, clientId, speaker, owner, client, count, commits }
}

describe.skipIf(!postgres)('long acts on PostgreSQL', () => {
  if (!postgres) return

  it.each(LONG_ACTS)('$name takes several commits, and moves everything', async ({ prepare, run, left }) => {
    const here = await world(postgres)
    await prepare?.(here.storage, here)
    expect(await here.count(left)).toBe(MANY)
    const before = here.commits.length
    await run(here.storage, here)
    expect(await here.count(left)).toBe(0)
    expect(here.commits.length - before).toBeGreaterThan(1)
  })

  it('a sweep goes on behind a page that another hub has ended meanwhile', async () => {
    const { client, storage, count } = await world(postgres)
    await client.query(
      `BEGIN; UPDATE announcements SET stage = 'expired', expired_at = ${STALE_AT}
       WHERE number IN (SELECT number FROM announcements ORDER BY expires_at LIMIT ${FIRST_PAGE})`,
    )
    const swept = storage.outbox.expire(STALE_AT)
    await eventually(async () => {
      // A transaction sees the sessions as they were at its first look.
      await client.query('SELECT pg_stat_clear_snapshot()')
      const { rows } = await client.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      expect(rows).toHaveLength(1)
    })
    await client.query('COMMIT')
    await swept
    expect(await count("stage = 'queued'")).toBe(0)
  })

  it('a birth after a restore numbers in the old order, and begins with the first of them', async () => {
    const { storage, owner } = await world(postgres)
    const start = await storage.outbox.begin(owner, AT, { born: bornWith({ played: 5_000 }) })
    const numbers = Array.from({ length: MANY }, (_, index) => 5_001 + index)
    expect(start?.open.map(({ n }) => n)).toEqual(numbers.slice(0, OPEN_AT_ONCE))
    expect(start?.numbers).toEqual([5_001 + MANY, 5_002 + MANY])
    const last = await storage.outbox.open(owner.deviceId, AT, 5_000 + MANY - 1)
    expect(last.map(({ n }) => n)).toEqual([5_000 + MANY])
  })

  it('missed payments count as shown at once and all together; the next start marks what is left', async () => {
    const { url, storage, speaker, client, count } = await world(postgres)
    const { outbox } = storage
    const { deviceId } = speaker
    await outbox.expire(STALE_AT)
    const missed = await outbox.missed(deviceId)
    expect(missed).toMatchObject({ count: MANY, amount: String(3 * MANY) })
    // Each page behind the first is refused, as if the hub had died.
    await client.query(
      `CREATE FUNCTION dies() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF (SELECT count(*) FROM announcements WHERE missed_shown_at IS NOT NULL) > ${FIRST_PAGE} THEN
           RAISE EXCEPTION 'the hub has died'; END IF; RETURN NULL; END $$`,
    )
    await client.query(
      'CREATE TRIGGER dies AFTER UPDATE ON announcements FOR EACH STATEMENT EXECUTE FUNCTION dies()',
    )
    const mark = missed?.mark ?? { upTo: 0, except: [] }
    await expect(outbox.markMissedShown(deviceId, mark, STALE_AT)).rejects.toThrow('the hub has died')
    await client.query('DROP TRIGGER dies ON announcements')
    expect(await count('missed_shown_at IS NULL')).toBe(MANY - FIRST_PAGE)
    expect(await outbox.missed(deviceId)).toBeUndefined()
    await postgres.open(url)
    expect(await count('missed_shown_at IS NULL')).toBe(0)
    expect((await client.query('SELECT FROM missed_marks')).rowCount).toBe(0)
  })
})
