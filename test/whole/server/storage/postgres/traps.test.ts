import { describe, expect, it, onTestFinished } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../../../server/announcements/announcement.ts'
import type { AckStep, Owner } from '../../../../../server/announcements/ports.ts'
import { createVault } from '../../../../../server/security/vault.ts'
import type { Storage } from '../../../../../server/storage/ports.ts'
import { openDatabase } from '../../../../../server/storage/postgres/engine/database.ts'
import { AT, bornWith, createShop } from '../../../../server/storage/shop.ts'
import { startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts'
import { PATIENT } from '../../../../support/processes/postgres.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { until } from '../../../../support/wait.ts'
import { lockOf, openHolder } from './holder.ts'

/*
 * What several hubs meet at: each test holds a transaction of one hub open until another hub waits for it. In each, the
 * act that has waited must decide by what it finds then.
 */

const postgres = await startTestPostgres()
const [OLD, NEW] = ['a'.repeat(16), 'b'.repeat(16)]

/** Two hubs, a speaker that the first one owns, and a transaction of a third hub that holds the speaker's row. */
async function hubs({ database, open }: TestPostgres, settings = '') {
  const url = `${await database()}${PATIENT}${settings}`
  const [here, there] = [await open(url), await open(url)]
  const shop = createShop(here)
  const clientId = await shop.partner()
  const { deviceId, storeId } = await shop.speaker(clientId)
  const owner: Owner = { deviceId, sessionId: OLD }
  await here.outbox.begin(owner, AT, { born: bornWith() })
  const { client: other, waiting, hold } = await openHolder(url)
  /** As `hold`, with the speaker's row. */
  const meanwhile = <T extends unknown[]>(...[before, ...acts]: Parameters<typeof hold<T>>) =>
    hold<T>([lockOf(deviceId), ...before], ...acts)

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
    hold,
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
      await meanwhile([TAKEOVER], () => here.outbox.leave([owner]))
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
      const { here, owner, announced, hold, stages } = await hubs(postgres)
      await announced()
      const acked = "UPDATE announcements SET stage = 'played', played_at = 1"
      const late = AT + ANNOUNCEMENT_FRESH_MS
      await hold([acked], () => here.outbox.begin(owner, late, { born: bornWith() }))
      expect(await stages()).toEqual(['played'])
    })
  })

  it('a birth locks announcements in the order of a sweep, also those that were missed', async () => {
    const { here, deviceId, owner, announced, other, waiting, stages } = await hubs(postgres)
    const [missed, open] = [await announced(), await announced()]
    const failed = { stage: 'failed', reason: 'no_clip', deviceId, commandNumber: missed.n } as const
    await here.outbox.recordAck({ ...failed, announcementId: missed.id }, AT)
    const locking = ({ id }: typeof open) => `SELECT FROM announcements WHERE id = '${id}' FOR UPDATE NOWAIT`
    await other.query('BEGIN')
    await other.query(locking(missed))
    const begun = here.outbox.begin(owner, AT, { born: bornWith() })
    await until('the birth waits', async () => (await waiting()) === 1)
    await other.query(locking(open))
    await other.query('COMMIT')
    expect(await begun).toMatchObject({ open: [{ id: open.id }] })
    expect(await stages()).toEqual(['failed', 'queued'])
  })

  describe('trap 4: a hub freezes inside a transaction', () => {
    /** A hub that has the speaker's row, and stands still until `thaw`. */
    async function freeze(url: string, settings = '') {
      const frozen = await openDatabase(`${url}${settings}`, createVault(TEST_MASTER_KEY))
      onTestFinished(() => frozen.close())
      const [held, never] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const act = frozen.write(async (tx) => {
        await tx.query('freeze', 'UPDATE device_state SET n = n + 1000')
        held.resolve()
        await never.promise
      })
      act.catch(() => undefined)
      await held.promise
      return { act, thaw: never.resolve }
    }

    it('the server gives its row to another act', async () => {
      const { url, here, owner, highest } = await hubs(postgres)
      const before = await highest()
      // The product's own deadline. Everything else is patient.
      const { act, thaw } = await freeze(url, '&idle_in_transaction_session_timeout=2000')
      expect(await here.outbox.nextNumber(owner)).toBe(before + 1)
      thaw()
      await expect(act).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
    })

    it('no act waits as long as its row is taken', async () => {
      const { url, here, owner } = await hubs(postgres, '&lock_timeout=1500')
      const { act, thaw } = await freeze(url)
      await expect(here.outbox.nextNumber(owner)).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
      thaw()
      await act
    })
  })
})
