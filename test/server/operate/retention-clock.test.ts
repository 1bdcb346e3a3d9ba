import { expect, it, onTestFinished } from 'vitest'
import { createClockWatch } from '../../../server/operate/clock-watch.ts'
import { shortestKeepMs, startRetention } from '../../../server/operate/retention.ts'
import { createLog } from '../../../server/platform/log.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { openTestStorage } from '../../support/storage.ts'
import { AT, createShop, payWell } from '../storage/shop.ts'

const DAY_MS = 24 * 60 * 60_000
const KEEP = { keepPaymentsDays: 90, keepEventsDays: 30 }

/** Retention with its watch on a real file, and a payment that was played. */
async function world() {
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
    const watch = { audit, retention, bridgeMs: shortestKeepMs(KEEP), isAlone: true, clock, log }
    const clockWatch = createClockWatch(watch)
    const stop = startRetention({ ...KEEP, retention, clockWatch, leads: async () => true, clock, log })
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
  const old = await world()
  old.start()
  await old.clock.wind(91 * DAY_MS)
  expect(await old.isKept()).toBe(false)

  const confirmed = await world()
  confirmed.start()
  await confirmed.clock.wind(1_000)
  confirmed.clock.set(100 * DAY_MS)
  await confirmed.clock.wind(60_000)
  expect(await confirmed.isKept()).toBe(true)
  await confirmed.storage.retention.noteClock('clock.confirm', confirmed.clock.now(), {})
  await confirmed.clock.wind(3 * 60_000)
  expect(await confirmed.isKept()).toBe(false)
})
