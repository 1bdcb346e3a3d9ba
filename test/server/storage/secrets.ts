import { expect } from 'vitest'
import { byPartner } from '../../../server/security/actor.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { OPERATOR } from '../../support/actors.ts'
import { AT, createShop, hashOf, payWell } from './shop.ts'
import { attemptAt, deliveryOf, progressOf, secretOf, webhookOf } from './webhook-world.ts'

/** Stores secrets and personal values in every place. Returns a check that none of them can be read in `bytes`. */
export async function storeSecrets(storage: Storage) {
  const { partners } = storage
  const shop = createShop(storage)
  await partners.create(
    OPERATOR,
    { clientId: 'sbc_1', name: 'A name in the clear', disabledAt: undefined, createdAt: AT },
    'sbs_first-secret',
  )
  await partners.rotateSecret(OPERATOR, 'sbc_1', 'sbs_second-secret', AT, AT + 1_000)
  const device = await shop.device('SPK-IN-THE-CLEAR')
  await shop.issue('sbc_1', device)
  const store = { terminalID: 'T1', phoneNumber: '0912345678', staticQRCode: 'static QR of 0001234567' }
  const registered = await storage.devices.register(
    byPartner('sbc_1'),
    shop.registration('sbc_1', device.serial, { store }),
    AT,
  )
  const storeId = registered.kind === 'registered' ? registered.store.id : ''
  await storage.stores.update(byPartner('sbc_1'), storeId, { ownerName: 'TRAN VAN BINH' }, AT)
  await storage.bills.put('sbc_1', shop.bill(storeId, { qrcode: 'QR of 0001234567 too' }), AT)
  const notice = 'LE THI DAO 0987654321 chuyen tien'
  const paid = await payWell(shop, 'sbc_1', { billNumber: 'B1', notice })
  expect(paid.answer).toMatchObject({ bankAccountNumber: '0001234567', qrcode: 'QR of 0001234567 too' })
  const body = JSON.stringify({ phoneNumber: '0912345678' })
  const request = hashOf('register with the code 123456')
  const kept = { request, outcome: { kind: 'done' as const, status: 201, body } }
  await storage.idempotency.keep(hashOf('key'), kept, AT, AT + 1)

  await storage.webhooks.add(
    byPartner('sbc_1'),
    webhookOf('sbc_1', 'wh_1', { url: 'https://receiver.example/hook/path-secret' }),
    secretOf('first'),
  )
  await storage.webhooks.rotate(byPartner('sbc_1'), 'wh_1', secretOf('second'), AT, AT + 1_000)
  const attempts = [attemptAt(AT, { reply: 'a reply that names LE THI DAO' })]
  const head = (await storage.webhookQueue.sending())[0]?.feeds[0]?.after ?? 0
  const delivery = deliveryOf('wh_1', head + 1, { attempts })
  await storage.webhookQueue.store([progressOf('wh_1', { deliveries: [delivery] })], AT)
  expect(await storage.webhooks.deliveries('wh_1', { state: undefined }, { limit: 1 })).toMatchObject({
    rows: [{ attempts }],
  })

  return function expectSealed(bytes: Buffer, where: string) {
    expect(bytes.includes('A name in the clear'), `${where} was read`).toBe(true)
    const ofWebhook = [secretOf('first'), secretOf('second')].map((secret) => secret.slice('whsec_'.length))
    for (const secret of ['sbs_first-secret', 'sbs_second-secret', 'path-secret', ...ofWebhook])
      expect(bytes.includes(secret), `${secret}, ${where}`).toBe(false)
    for (const spelled of [device.key, device.key.toString('base64url'), device.key.toString('hex')])
      expect(bytes.includes(spelled), `the device's key, ${where}`).toBe(false)
    // From its hash a request with so few unknowns could be guessed.
    for (const spelled of [request, request.toString('base64')])
      expect(bytes.includes(spelled), `a request's hash, ${where}`).toBe(false)
    const numbers = ['0912345678', '001099012345', '0001234567', '0987654321']
    for (const personal of [...numbers, 'NGUYEN THI HA', 'TRAN VAN BINH', 'LE THI DAO'])
      expect(bytes.includes(personal), `${personal}, ${where}`).toBe(false)
  }
}
