import { expect, it } from 'vitest'
import { story } from '../../../../server/http/openapi/examples/story.ts'
import { createDynamicQr } from '../../../../server/payments/create-dynamic-qr.ts'
import { keyAmount } from '../../../../server/payments/keypad/key-amount.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import { openTestStorage } from '../../../support/storage.ts'
import { AT, createShop } from '../../storage/shop.ts'

const { staticQRCode } = story

/** A speaker with a keypad, at these tills of one partner. */
async function keypad(tills: readonly Partial<{ terminalID: string; staticQRCode: string }>[]) {
  const { storage } = openTestStorage()
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const device = await shop.device()
  for (const [index, till] of tills.entries()) {
    await shop.issue(clientId, device, '123456', AT + index)
    const { store } = shop.registration(clientId, device.serial)
    const asked = shop.registration(clientId, device.serial, {
      store: { ...store, terminalID: `T${index}`, ...till },
    })
    const { kind } = await storage.devices.register(byPartner(clientId), asked, AT + index)
    expect(kind).toBe('registered')
  }
  const shown: string[] = []
  const screens = {
    ...{ showCode: async () => 'offline' as never, clearCode: () => undefined, clearBill: () => undefined },
    refresh: (deviceId: string) => shown.push(deviceId),
  }
  const clock = { now: () => AT, elapsed: () => 0, after: () => () => undefined }
  const { stores, bills, keyed } = storage
  const deps = { stores, bills, screens, clock, ids: shop.ids } as Parameters<typeof createDynamicQr>[0]
  const key = keyAmount({ keyed, createDynamicQr: createDynamicQr(deps), clock, ids: shop.ids })
  const { deviceId } = device
  const screen = () => storage.outbox.screen(deviceId, AT)
  const asked = async () => {
    const { events } = await storage.events.page(clientId, { after: 0, types: ['amount.keyed'], limit: 10 })
    return events.map(({ data }) => data)
  }
  const press = (requestId: string, amount: string) => key(deviceId, requestId, amount)
  return { storage, shop, clientId, deviceId, press, screen, asked, shown }
}

it('shows a bill of its own for one shop with a static QR, once for each request', async () => {
  const { deviceId, press, screen, asked, shown } = await keypad([{ staticQRCode }])
  const first = await press('1', '25000')
  expect(first).toEqual({ kind: 'shown', billNumber: expect.stringMatching(/^K[0-9A-Z]{24}$/) })
  expect(shown).toEqual([deviceId])
  const { bill } = await screen()
  expect(bill).toMatchObject({ amount: '25000', billNumber: 'billNumber' in first ? first.billNumber : '' })
  expect(await press('1', '25000')).toEqual(first)
  expect((await screen()).bill?.id).toBe(bill?.id)
  expect(await press('2', '25000')).not.toEqual(first)
  expect(await asked()).toEqual([])
})

it('answers a repeat as before when its bill is paid', async () => {
  const { clientId, shop, press, screen } = await keypad([{ staticQRCode }])
  const first = await press('1', '25000')
  const billNumber = 'billNumber' in first ? first.billNumber : ''
  await shop.pay(clientId, { terminalID: 'T0', billNumber, amount: '25000' })
  expect(await press('1', '25000')).toEqual(first)
  expect((await screen()).bill).toBeUndefined()
})

it.each([
  ['several shops', [{ staticQRCode }, { staticQRCode }]],
  ['no static QR', [{ staticQRCode: '' }]],
  ['a static QR from which no code can be built', [{ staticQRCode: 'a link' }]],
])('asks the partner once for a device with %s', async (_, tills) => {
  const { press, screen, asked } = await keypad(tills)
  expect(await press('1', '25000')).toEqual({ kind: 'asked' })
  expect(await press('1', '25000')).toEqual({ kind: 'asked' })
  expect(await asked()).toMatchObject([
    { transactionAmount: '25000', storeIds: tills.map(() => expect.any(String)) },
  ])
  expect((await screen()).bill).toBeUndefined()
})

it('refuses what is no amount, and a device that nobody has registered', async () => {
  const { press, asked } = await keypad([{ staticQRCode }])
  for (const amount of ['0', '', '-1', '1.5', '01', '99999999999999'])
    expect(await press('1', amount)).toEqual({ kind: 'refused' })
  expect(await (await keypad([])).press('1', '25000')).toEqual({ kind: 'refused' })
  expect(await asked()).toEqual([])
})
