import { byPartner } from '../../../../server/security/actor.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { bornWith, createShop, ownerOf, payWell } from '../../storage/shop.ts'

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 60 * 60_000]

const SHOPS = [
  'Quán Cà Phê Sáng',
  'Bún Chả Hương Liên',
  'Tạp Hóa Cô Ba',
  'Phở Thìn Bờ Hồ',
  'Bánh Mì Phượng',
  'Trà Sữa Mây',
  'Nhà Thuốc An Khang',
  'Cơm Tấm Ba Ghiền',
]
const AMOUNTS = [35_000, 55_000, 216_000, 48_000, 120_000, 69_000, 1_250_000, 89_000]
/** The speaker of this shop is away. */
const AWAY = 1
const PAYMENTS = 26

/** Fills a hub with a street of shops and what they were paid. Resolves with the serial of the speaker that is away. */
export async function fillStreet(storage: Storage): Promise<string> {
  const shop = createShop(storage)
  const now = Date.now()
  const clientId = shop.ids.clientId()
  const partner = { clientId, name: 'Ví Sao Mai', disabledAt: undefined, createdAt: now - 90 * 24 * HOUR_MS }
  await storage.partners.create(OPERATOR, partner, 'secret')

  const speakers = []
  for (const [n, storeName] of SHOPS.entries()) {
    const { deviceId, serial } = await shop.device(`SB-${String(n + 1).padStart(4, '0')}`)
    const at = now - (60 - n) * 24 * HOUR_MS
    await shop.issue(clientId, { deviceId, serial, key: Buffer.alloc(0) }, '123456', at)
    const terminalID = `HN-${String(100 + n)}`
    const store = { terminalID, phoneNumber: '0912345678', storeName }
    await storage.devices.register(byPartner(clientId), shop.registration(clientId, serial, { store }), at)
    const born = bornWith({
      model: 'SB-300',
      firmware: '2.1.0',
      languages: ['vi'],
      caps: ['rekey', 'update'],
    })
    // A speaker is online when it was born since the start of the hub.
    await storage.outbox.begin(ownerOf(deviceId), n === AWAY ? now - 5 * HOUR_MS : now, { born })
    const readings = { battery: n === AWAY ? 4 : 96 - 7 * n, signal: -58 - 3 * n, volume: 80, queue: 0 }
    await storage.health.record([
      { deviceId, report: { ...readings, at: now - (n === AWAY ? 27 : 1) * MINUTE_MS } },
    ])
    speakers.push({ deviceId, terminalID, serial })
  }
  const leftAt = now - 26 * MINUTE_MS
  const away = speakers[AWAY]
  if (!away) throw new Error('there is no such shop')

  for (let n = 0; n < PAYMENTS; n += 1) {
    const at = now - (1 + 3 * (PAYMENTS - n - 1) ** 2) * SECOND_MS
    const speaker = speakers[(n * 5) % speakers.length]
    if (!speaker) continue
    const { deviceId, terminalID } = speaker
    const isAway = speaker === away && at > leftAt
    if (isAway) await storage.outbox.leave([ownerOf(deviceId)])
    const amount = String(AMOUNTS[(n * 3) % AMOUNTS.length])
    const ftCode = `FT26331${String(480_000 + n * 37)}`
    await payWell(shop, clientId, { terminalID, amount, ftCode, receivedAt: at, paidAt: at - 2 * SECOND_MS })
    if (isAway) continue
    const asked = (await storage.outbox.open(deviceId, at)).at(-1)
    const step = {
      announcementId: asked?.id ?? '',
      commandNumber: asked?.n ?? 0,
      deviceId,
      reason: undefined,
    }
    await storage.outbox.markSent(step.announcementId, ownerOf(deviceId), at + 8)
    await storage.outbox.recordAck({ ...step, stage: 'received' }, at + 60 + ((n * 13) % 70))
    if (n < PAYMENTS - 1)
      await storage.outbox.recordAck({ ...step, stage: 'played' }, at + 2_400 + ((n * 211) % 900))
  }
  await storage.outbox.expire(now - 2 * MINUTE_MS)
  await storage.health.record([{ deviceId: away.deviceId, leftAt }])
  return away.serial
}
