import { expect, it } from 'vitest'
import { createTestShop } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

async function world() {
  const { api, partner, device, storeId, registered } = await createTestShop()
  const before = Object(registered.body).store
  const put = (body: unknown, id = storeId) => partner.call('PUT', `/store/${id}`, body)
  return { api, partner, device, before, put }
}

it.each([
  ['storeName', 'Quán mới', 'Quán mới'],
  ['ownerName', '  Trần Thị B ', 'Trần Thị B'],
  ['identityNumber', 'B1234567', 'B1234567'],
  ['bankName', 'Vietcombank', 'Vietcombank'],
  ['bankCode', 'VCB', 'VCB'],
  ['bankAccountNumber', '9876543210', '9876543210'],
  ['bankAccountName', 'TRAN THI B', 'TRAN THI B'],
  ['phoneNumber', '+84 912 345 678', '0912345678'],
  ['terminalID', 'T-77', 'T-77'],
  ['terminalName', 'Quầy 2', 'Quầy 2'],
  ['staticQRCode', 'some text', 'some text'],
])('changes only %s', async (field, given, kept) => {
  const { before, put } = await world()
  const answer = await put({ [field]: given })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ ...before, [field]: kept })
})

it('changes several fields at once, and ignores id, totals and unknown fields', async () => {
  const { before, put } = await world()
  const answer = await put({
    storeName: 'A',
    id: 'x',
    totalAmount: '9',
    totalTransaction: '9',
    colour: 'red',
  })
  expect(answer.body).toEqual({ ...before, storeName: 'A' })
})

it.each([[{}], [{ id: 'x', totalAmount: '9' }], [{ colour: 'red' }]])(
  'refuses a change without any field to change: %j',
  async (body) => {
    const { put } = await world()
    expect(await put(body)).toMatchObject({ status: 400, body: { code: 40001 } })
  },
)

it('refuses null, and lists every such field at once', async () => {
  const { put } = await world()
  const answer = await put({ storeName: null, terminalID: null, phoneNumber: null })
  expect(answer.body).toMatchObject({
    code: 40001,
    details: [{ field: 'storeName' }, { field: 'phoneNumber' }, { field: 'terminalID' }],
  })
})

it('keeps terminalID unique within the partner', async () => {
  const { api, partner, put } = await world()
  await partner.register(await api.device('SB-0002'), { terminalID: 'T-02' })
  const answer = await put({ terminalID: 'T-02' })
  expect(answer.status).toBe(409)
  expect(answer.body).toMatchObject({
    code: 40904,
    error: 'TERMINAL_ID_TAKEN',
    details: [{ field: 'terminalID' }],
  })
  expect((await put({ terminalID: 'T-01' })).status).toBe(200)
})

it('answers 404 40402 for an unknown store in the path', async () => {
  const { put } = await world()
  for (const id of ['00000000-0000-4000-8000-000000000000', 'x', '%00'])
    expect(await put({ storeName: 'A' }, id)).toMatchObject({ status: 404, body: { code: 40402 } })
})

it('shows the new name on the idle screen', async () => {
  const { device, put } = await world()
  await put({ storeName: 'Tiệm mới' })
  await settle()
  expect(device.heard.at(-1)).toMatchObject({ t: 'profile', d: { name: 'Tiệm mới' } })
})
