import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../../../server/announcements/announcement.ts'
import type { AckStep, Owner } from '../../../../../server/announcements/ports.ts'
import { createVault } from '../../../../../server/security/vault.ts'
import type { Storage } from '../../../../../server/storage/ports.ts'
import { openDatabase } from '../../../../../server/storage/postgres/engine/database.ts'
import { AT, bornWith, createShop } from '../../../../server/storage/shop.ts'
import { startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { until } from '../../../../support/wait.ts'

/*
 * What several hubs meet at: each test holds a transaction of one hub open until another hub waits for it. In each, the
 * act that has waited must decide by what it finds then.
 */

const postgres = await startTestPostgres()
/** On a loaded machine a test needs more than a second to see that an act waits. */
const PATIENT = '?lock_timeout=60000&statement_timeout=60000&query_timeout=60000'
const [OLD, NEW] = ['a'.repeat(16), 'b'.repeat(16)]

/** Two hubs, a speaker that the first one owns, and a transaction of a third hub that holds the speaker's row. */
async function hubs({ database, open }: TestPostgres, settings = PATIENT) {
  const url = `${await database()}${settings}`
  const [here, there] = [await open(url), await open(url)]
  const shop = createShop(here)
  const clientId = await shop.partner()
  const { deviceId, storeId } = await shop.speaker(clientId)
  const owner: Owner = { deviceId, sessionId: OLD }
  await here.outbox.begin(owner, AT, { born: bornWith() })
  const other = new Client(url)
  await other.connect()
  onTestFinished(() => other.end())

  const waiting = async () => {
    // Inside a transaction, the view stays as it was first seen.
    await other.query('SELECT pg_stat_clear_snapshot()')
    const { rows } = await other.query<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return Number(rows[0]?.count)
  }
  /** Runs statements, and acts that do not meet them, in a transaction that commits once all `acts` wait for it. */
  async function inTransaction<T>(
    before: (string | (() => Promise<unknown>))[],
    ...acts: (() => Promise<T>)[]
  ): Promise<T[]> {
    await other.query('BEGIN')
    for (const one of before) await (typeof one === 'string' ? other.query(one) : one())
    const results: Promise<T>[] = []
    for (const act of acts) {
      const result = act()
      result.catch(() => undefined)
      results.push(result)
      await until('the act waits', async () => (await waiting()) === results.length)
    }
    await other.query('COMMIT')
    return await Promise.all(results)
  }
  const lock = `SELECT FROM device_state
    WHERE device_number = (SELECT number FROM devices WHERE id = '${deviceId}') FOR NO KEY UPDATE`
  /** As `inTransaction`, which holds the speaker's row. */
  const meanwhile: typeof inTransaction = (before, ...acts) => inTransaction([lock, ...before], ...acts)

  async function pay(at: Storage, knownNumber?: number) {
    const free = knownNumber === undefined ? [] : [{ ...owner, knownNumber }]
    const result = await at.payments.record(shop.payment(clientId), free)
    return result.kind === 'recorded' ? result.announcements : []
  }
  async function announced(at = here) {
    const [announcement] = await pay(at)
    if (!announcement) throw new Error('nothing was announced')
    return announcement
  }
  const highest = () => here.outbox.highestNumber(deviceId)
  const stages = async () => {
    const { rows } = await other.query<{ stage: string }>('SELECT stage FROM announcements ORDER BY number')
    return rows.map(({ stage }) => stage)
  }
  return {
    url,
    here,
    there,
    shop,
    clientId,
    deviceId,
    storeId,
    owner,
    other,
    waiting,
    inTransaction,
    meanwhile,
    pay,
    announced,
    highest,
    stages,
  }
}

const TAKEOVER = `UPDATE device_state SET session_id = '${NEW}'`

describe.skipIf(!postgres)('hubs that meet in PostgreSQL', () => {
  if (!postgres) return

  describe('trap 1: a number overtakes a lower one that its hub does not know', () => {
    it('an announcement behind another that was committed meanwhile is not sent at once', async () => {
      const { here, there, owner, meanwhile, pay, highest } = await hubs(postgres)
      const knownNumber = await highest()
      const [[first] = [], [second] = []] = await meanwhile(
        [],
        () => pay(there),
        () => pay(here, knownNumber),
      )
      expect([first?.n, second?.n]).toEqual([knownNumber + 1, knownNumber + 2])
      expect([first?.stage, second?.stage]).toEqual(['queued', 'queued'])
      const taken = await here.outbox.take(owner, AT, { after: knownNumber, isFree: true })
      expect(taken?.open.map(({ id, stage }) => [id, stage])).toEqual([
        [first?.id, 'sent'],
        [second?.id, 'queued'],
      ])
    })
  })

  describe('trap 2: an act waits for a lock, and looks at what was there before it', () => {
    it('a payment that has waited for a release is not announced on the released speaker', async () => {
      const { here, meanwhile, pay, stages } = await hubs(postgres)
      expect(await meanwhile(['DELETE FROM device_stores'], () => pay(here))).toEqual([[]])
      expect(await stages()).toEqual([])
    })

    it('a payment that has waited for a lock of the speaker is stored as suppressed', async () => {
      const { here, meanwhile, pay, stages } = await hubs(postgres)
      expect(await meanwhile(['UPDATE devices SET active = false'], () => pay(here))).toEqual([[]])
      expect(await stages()).toEqual(['suppressed'])
    })

    it('a payment that has waited for a registration is announced on the new speaker, too', async () => {
      const { here, shop, clientId, storeId, meanwhile, pay } = await hubs(postgres)
      const second = await shop.speaker(clientId, 'T2')
      const link = `INSERT INTO device_stores (store_number, device_number, linked_at)
        SELECT s.number, d.number, 0 FROM stores s, devices d WHERE s.id = '${storeId}' AND d.id = '${second.deviceId}'`
      const [announcements = []] = await meanwhile([link], () => pay(here))
      expect(announcements.map(({ n }) => n)).toEqual([expect.any(Number), 1])
    })

    it('who takes announcements knows all up to the highest number', async () => {
      const { here, owner, announced, meanwhile, highest } = await hubs(postgres)
      const { id, n } = await announced()
      const [taken] = await meanwhile(
        [
          'UPDATE device_state SET n = n + 1',
          `INSERT INTO announcements (id, device_number, payment_number, n, stage, amount, paid_bill, lang, expires_at, queued_at)
           SELECT 'late', device_number, payment_number, n + 1, stage, amount, paid_bill, lang, expires_at, queued_at
           FROM announcements`,
        ],
        () => here.outbox.take(owner, AT, { after: 0, isFree: false }),
      )
      expect(taken?.open.map((one) => [one.id, one.n])).toEqual([
        [id, n],
        ['late', n + 1],
      ])
      expect(taken?.highestNumber).toBe(await highest())
    })

    it('a summary names no payment that is committed behind it', async () => {
      const { here, shop, clientId, other, deviceId, announced, meanwhile } = await hubs(postgres)
      await shop.speaker(clientId, 'T2')
      await announced()
      await here.outbox.expire(AT + ANNOUNCEMENT_FRESH_MS)
      // The other hub has written its announcement, with the lower row id, and has not committed it.
      const [missed] = await meanwhile(
        [
          `INSERT INTO announcements (id, device_number, payment_number, n, stage, amount, paid_bill, lang, expires_at, queued_at)
           SELECT 'late', device_number, payment_number, n + 1, 'queued', 11, paid_bill, lang, expires_at, queued_at
           FROM announcements`,
          () => shop.pay(clientId, { terminalID: 'T2' }),
        ],
        () => here.outbox.missed(deviceId),
      )
      expect(missed).toMatchObject({ count: 1, amount: '50000' })
      await here.outbox.expire(AT + 10 * ANNOUNCEMENT_FRESH_MS)
      await here.outbox.markMissedShown(deviceId, missed?.mark ?? { upTo: 0, except: [] }, AT)
      expect(await here.outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '11' })
      expect((await other.query('SELECT FROM missed_marks')).rowCount).toBe(0)
    })
  })

  describe('trap 3: a session judges while another one takes its device over', () => {
    it('an announcement is neither ended nor sent for the old session', async () => {
      const { here, deviceId, owner, announced, meanwhile, stages } = await hubs(postgres)
      const { id: announcementId, n: commandNumber } = await announced()
      const step = { announcementId, commandNumber, deviceId, reason: undefined, judgedBy: OLD }
      const judged: AckStep = { ...step, stage: 'expired' }
      expect(await meanwhile([TAKEOVER], () => here.outbox.recordAck(judged, AT))).toEqual(['nothing'])
      await here.outbox.begin(owner, AT, { born: bornWith() })
      const sent = () => here.outbox.markSent(announcementId, owner, AT)
      expect(await meanwhile([TAKEOVER], sent)).toEqual(['not_owner'])
      await here.outbox.begin(owner, AT, { born: bornWith() })
      const take = () => here.outbox.take(owner, AT, { after: 0, isFree: true })
      expect(await meanwhile([TAKEOVER], take)).toEqual([undefined])
      expect(await stages()).toEqual(['queued'])
    })

    it('the old session gets no number, nothing is sent to it, and it gives nothing up', async () => {
      const { here, owner, deviceId, pay, meanwhile, highest } = await hubs(postgres)
      const born = () => here.outbox.begin(owner, AT, { born: bornWith() })
      expect(await meanwhile([TAKEOVER], () => here.outbox.nextNumber(owner))).toEqual([undefined])
      await born()
      const known = await highest()
      const [[announcement] = []] = await meanwhile([TAKEOVER], () => pay(here, known))
      expect(announcement).toMatchObject({ n: known + 1, stage: 'queued' })
      await born()
      await meanwhile([TAKEOVER], () => here.outbox.leave(owner))
      expect(await here.outbox.owns({ deviceId, sessionId: NEW })).toBe(true)
    })

    it('a birth that is read again takes the device from no session', async () => {
      const { here, owner, deviceId, meanwhile } = await hubs(postgres)
      const again = () => here.outbox.begin(owner, AT, { born: bornWith(), isAgain: true })
      expect(await again()).toMatchObject({ isTakeover: false })
      expect(await meanwhile([TAKEOVER], again)).toEqual([undefined])
      expect(await here.outbox.owns({ deviceId, sessionId: NEW })).toBe(true)
    })

    it('a birth does not end an announcement that has been acked meanwhile', async () => {
      const { here, owner, announced, inTransaction, stages } = await hubs(postgres)
      await announced()
      const acked = "UPDATE announcements SET stage = 'played', played_at = 1"
      const late = AT + ANNOUNCEMENT_FRESH_MS
      await inTransaction([acked], () => here.outbox.begin(owner, late, { born: bornWith() }))
      expect(await stages()).toEqual(['played'])
    })
  })

  it('a birth locks announcements in the order of a sweep, also those that were missed', async () => {
    const { here, deviceId, owner, announced, other, waiting, stages } = await hubs(postgres)
    const [missed, open] = [await announced(), await announced()]
    const failed = { stage: 'failed', reason: 'no_clip', deviceId, commandNumber: missed.n } as const
    await here.outbox.recordAck({ ...failed, announcementId: missed.id }, AT)
    const lockOf = ({ id }: typeof open) => `SELECT FROM announcements WHERE id = '${id}' FOR UPDATE NOWAIT`
    await other.query('BEGIN')
    await other.query(lockOf(missed))
    const begun = here.outbox.begin(owner, AT, { born: bornWith() })
    await until('the birth waits', async () => (await waiting()) === 1)
    await other.query(lockOf(open))
    await other.query('COMMIT')
    expect(await begun).toMatchObject({ open: [{ id: open.id }] })
    expect(await stages()).toEqual(['failed', 'queued'])
  })

  describe('trap 4: a hub freezes inside a transaction', () => {
    it('its row is free after two seconds, and no act waits for it that long', {
      timeout: 30_000,
    }, async () => {
      const { url, here, deviceId, owner } = await hubs(postgres, '')
      const frozen = await openDatabase(url, createVault(TEST_MASTER_KEY))
      const { promise: held, resolve } = Promise.withResolvers<void>()
      const { promise: never, resolve: thaw } = Promise.withResolvers<void>()
      const act = frozen.write(async (tx) => {
        await tx.query('freeze', 'UPDATE device_state SET n = n + 1000')
        resolve()
        await never
      })
      const ended = expect(act).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
      await held
      const before = await here.outbox.highestNumber(deviceId)
      const startedAt = performance.now()
      await expect(here.outbox.nextNumber(owner)).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
      expect(performance.now() - startedAt).toBeLessThan(3_000)
      let number: number | undefined
      await until('the row is free', async () => {
        number = await here.outbox.nextNumber(owner).catch(() => undefined)
        return number !== undefined
      })
      expect(number).toBe(before + 1)
      thaw()
      await ended
      await frozen.close()
    })
  })
})
