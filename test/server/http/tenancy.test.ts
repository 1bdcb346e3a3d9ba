import { expect, it } from 'vitest'
import { type Answer, createTestApi, REGISTRATION, stringAt } from '../../support/api.ts'
import { signedCallback } from '../../support/callback.ts'
import { settle } from '../../support/clock.ts'

/** Two partners: what one owns, and what nobody owns, must look alike to the other. */
async function world() {
  const api = createTestApi()
  const owner = await api.partner('Owner')
  const stranger = await api.partner('Stranger')
  const device = await api.device('SB-OWNED')
  const storeId = stringAt(await owner.register(device, { terminalID: 'T-OWNED' }), 'store', 'id')
  await owner.pay({ terminalID: 'T-OWNED', ftCode: 'FT-OWNED' })
  await settle()
  device.heard.length = 0
  return { api, owner, stranger, device, storeId }
}

const NOWHERE = '00000000-0000-4000-8000-000000000000'
const DYNAMIC_QR = { billNumber: 'B1', transactionAmount: '1', qrcode: 'x' }

type World = Awaited<ReturnType<typeof world>>
const acts: [string, (world: World, owned: boolean) => Promise<Answer>][] = [
  [
    'send-verification',
    ({ stranger }, owned) =>
      stranger.call('POST', '/device/send-verification', { deviceSerial: owned ? 'SB-OWNED' : 'SB-NOONE' }),
  ],
  [
    'register',
    ({ stranger }, owned) =>
      stranger.call('POST', '/device/register', {
        ...{ ...REGISTRATION, verificationCode: '123456' },
        deviceSerial: owned ? 'SB-OWNED' : 'SB-NOONE',
      }),
  ],
  [
    'unregister',
    ({ stranger }, owned) =>
      stranger.call('POST', '/device/unregister', { deviceSerial: owned ? 'SB-OWNED' : 'SB-NOONE' }),
  ],
  [
    'update-status',
    ({ stranger }, owned) =>
      stranger.call('PATCH', '/device/update-status', {
        devices: [{ deviceSerial: owned ? 'SB-OWNED' : 'SB-NOONE', active: false }],
      }),
  ],
  [
    'device detail',
    ({ stranger }, owned) => stranger.call('GET', `/device/${owned ? 'SB-OWNED' : 'SB-NOONE'}`),
  ],
  [
    'dynamic-qr',
    ({ stranger, storeId }, owned) =>
      stranger.call('POST', '/payment/dynamic-qr', { ...DYNAMIC_QR, storeId: owned ? storeId : NOWHERE }),
  ],
  [
    'callback',
    ({ stranger }, owned) => stranger.pay({ terminalID: owned ? 'T-OWNED' : 'T-NOONE', ftCode: 'FT-OWNED' }),
  ],
  [
    'update store',
    ({ stranger, storeId }, owned) =>
      stranger.call('PUT', `/store/${owned ? storeId : NOWHERE}`, { storeName: 'Mine' }),
  ],
  [
    'transaction',
    ({ stranger }, owned) => stranger.call('GET', `/payment/transactions/${owned ? 'FT-OWNED' : 'FT-NOONE'}`),
  ],
]

/** An answer without what differs from request to request, and with the asked name taken out. */
function looks({ status, headers, body }: Answer): string {
  const shown = JSON.stringify({ status, headers: [...headers], body: { ...Object(body), requestId: '' } })
  return shown
    .replaceAll(/OWNED|NOONE/g, '')
    .replaceAll(/"x-request-id","[^"]*"/g, '')
    .replaceAll(/r=\d+/g, '')
}

it.each(acts)("on %s, what is another's looks exactly like what does not exist", async (_, act) => {
  const there = await world()
  const foreign = await act(there, true)
  expect(looks(foreign)).toBe(looks(await act(there, false)))
  expect(foreign.status).not.toBe(201)
})

it.each(acts)("on %s, a stranger changes and shows nothing of the owner's", async (_, act) => {
  const there = await world()
  const { owner, device } = there
  const before = (await owner.call('GET', '/device/SB-OWNED')).body
  await act(there, true)
  expect((await owner.call('GET', '/device/SB-OWNED')).body).toEqual(before)
  expect(device.heard).toEqual([])
})

it("does not accept the owner's callback under a stranger's token", async () => {
  const { owner, stranger } = await world()
  const body = signedCallback(owner.clientSecret, { terminalID: 'T-OWNED', ftCode: 'FT-2' })
  expect((await stranger.call('POST', '/payment/callback', body)).body).toMatchObject({ code: 40014 })
})
