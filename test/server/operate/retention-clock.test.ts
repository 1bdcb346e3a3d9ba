import { expect, it, onTestFinished } from 'vitest'
import { createDatabaseClock } from '../../../server/cluster/postgres/database-clock.ts'
import { createClockWatch } from '../../../server/operate/clock-watch.ts'
import { shortestKeepMs, startRetention } from '../../../server/operate/retention.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import { createLog } from '../../../server/platform/log.ts'
import { OPERATOR } from '../../support/actors.ts'
import { createVirtualClock, type VirtualClock } from '../../support/clock.ts'
import { openTestStorage } from '../../support/storage.ts'
import { AT, createShop, payWell } from '../storage/shop.ts'

const DAY_MS = 24 * 60 * 60_000
const KEEP = { keepPaymentsDays: 90, keepEventsDays: 30 }

/** Retention with its watch on a real file, and a payment that was played. */
async function world({ on = (own: VirtualClock): Clock => own, leads = async () => true, keep = KEEP } = {}) {
  const clock = createVirtualClock(AT)
  const { storage } = openTestStorage()
  const log = createLog('silent')
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const { deviceId } = await shop.speaker(clientId)
  const { announcements } = await payWell(shop, clientId, { ftCode: 'FT-1' })
  const { id: announcementId = '', n: commandNumber = 0 } = announcements[0] ?? {}
  const played = { announcementId, commandNumber, deviceId, reason: undefined, stage: 'played' as const }
  await storage.outbox.recordAck(played, AT)
  const start = () => {
    const { audit, retention } = storage
    const shared = { retention, clock: on(clock), log }
    const clockWatch = createClockWatch({ ...shared, audit, bridgeMs: shortestKeepMs(keep), isAlone: true })
    const stop = startRetention({ ...keep, ...shared, observe: () => undefined, clockWatch, leads })
    onTestFinished(stop)
    return stop
  }
  const isKept = async () => (await storage.payments.findByFtCode(clientId, 'FT-1')) !== undefined
  return { clock, storage, start, isKept }
}

it('a clock that is a hundred days ahead for a minute and a half deletes no payment', async () => {
  const { clock, start, isKept } = await world()
  start()
  await clock.wind(60_000)
  clock.set(100 * DAY_MS)
  await clock.wind(90_000)
  clock.set(-100 * DAY_MS)
  await clock.wind(10 * 60_000)
  expect(await isKept()).toBe(true)
})

it('a restart under the wrong clock deletes no payment either', async () => {
  const { clock, start, isKept } = await world()
  const stop = start()
  await clock.wind(60_000)
  clock.set(100 * DAY_MS)
  await clock.wind(60_000)
  stop()
  start()
  await clock.wind(DAY_MS - 60_000)
  expect(await isKept()).toBe(true)
})

it('a payment that has grown old is deleted, by a clock that was confirmed also', async () => {
  const old = await world({ keep: { keepPaymentsDays: 2, keepEventsDays: 1 } })
  old.start()
  await old.clock.wind(2 * DAY_MS - 60_000)
  expect(await old.isKept()).toBe(true)
  await old.clock.wind(180_000)
  expect(await old.isKept()).toBe(false)

  const confirmed = await world()
  confirmed.start()
  await confirmed.clock.wind(1_000)
  confirmed.clock.set(100 * DAY_MS)
  await confirmed.clock.wind(60_000)
  expect(await confirmed.isKept()).toBe(true)
  await confirmed.storage.retention.noteClock(OPERATOR, 'clock.confirm', confirmed.clock.now(), {})
  await confirmed.clock.wind(3 * 60_000)
  expect(await confirmed.isKept()).toBe(false)
})

it('a clock that is set between the look and the deletion deletes nothing', async () => {
  let isSet = false
  const { clock, start, isKept } = await world({
    // Right behind the look.
    async leads() {
      if (!isSet && clock.elapsed() > 60_000) {
        isSet = true
        clock.set(100 * DAY_MS)
      }
      return true
    },
  })
  start()
  await clock.wind(10 * 60_000)
  expect([isSet, await isKept()]).toEqual([true, true])
})

it("PostgreSQL's clock counts, forward and back, and not that of the hub's machine", async () => {
  let aheadMs = 0
  const { clock, storage, start, isKept } = await world({
    on(own) {
      const elapsed = own.elapsed()
      const says = () => AT + own.elapsed() - elapsed + aheadMs
      const database = createDatabaseClock(own, async () => undefined)
      const beat = () => {
        database.add(own.elapsed(), own.elapsed(), says())
        own.after(1_000, beat)
      }
      beat()
      return database
    },
  })
  start()
  const doubts = async () => (await storage.audit.list({ action: 'clock.doubt', limit: 10 })).length
  await clock.wind(60_000)
  clock.set(100 * DAY_MS)
  await clock.wind(120_000)
  expect([await doubts(), await isKept()]).toEqual([0, true])

  aheadMs = 100 * DAY_MS
  await clock.wind(90_000)
  expect([await doubts(), await isKept()]).toEqual([1, true])
  aheadMs = 0
  await clock.wind(120_000)
  expect([await doubts(), await isKept()]).toEqual([2, true])
})
