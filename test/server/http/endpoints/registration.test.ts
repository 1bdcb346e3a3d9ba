import { describe, expect, it } from 'vitest'
import { createTestApi, REGISTRATION, stringAt } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
const { phoneNumber: _phone, rmCode: _rm, ...GIVEN } = REGISTRATION

const STORE = {
  ...GIVEN,
  id: UUID,
  ownerName: '',
  terminalName: '',
  staticQRCode: '',
  phoneNumber: '0901234567',
  totalTransaction: '0',
  totalAmount: '0',
}

async function world() {
  const api = createTestApi()
  const partner = await api.partner()
  const device = await api.device('SB-0001')
  const detail = async () => (await partner.call('GET', '/device/SB-0001')).body
  const unregister = () => partner.call('POST', '/device/unregister', { deviceSerial: 'SB-0001' })
  return { api, partner, device, detail, unregister }
}

describe('registering', () => {
  it("answers 201 with exactly the interface's user, store and device", async () => {
    const { partner, device, detail } = await world()
    const answer = await partner.register(device)
    expect(answer.status).toBe(201)
    const whole = {
      id: UUID,
      serial: 'SB-0001',
      deviceName: expect.any(String),
      active: true,
      connected: true,
      partnerClientId: partner.clientId,
      rmCode: 'RM-7',
      stores: [STORE],
    }
    expect(answer.body).toEqual({ userId: UUID, store: STORE, device: whole })
    expect(await detail()).toEqual({ ...whole, health: expect.any(Object), abilities: expect.any(Object) })
  })

  it('shows the shop on the idle screen and removes the code', async () => {
    const { partner, device } = await world()
    await partner.register(device)
    await settle()
    expect(device.heard).toContainEqual(expect.objectContaining({ t: 'clear', d: { what: 'code' } }))
    expect(device.heard.findLast((command) => command.t === 'profile')?.d).toMatchObject({
      name: REGISTRATION.storeName,
    })
  })

  it.each([
    ['+84901234567', '0901234567'],
    ['84 901.234-567', '0901234567'],
    ['0901 234 567', '0901234567'],
    ['0283 822 1234', '02838221234'],
  ])('stores the phone number %s as %s', async (phoneNumber, kept) => {
    const { partner, device } = await world()
    const answer = await partner.register(device, { phoneNumber })
    expect(stringAt(answer, 'store', 'phoneNumber')).toBe(kept)
  })

  it('identifies a user by phone number, and a store by terminalID', async () => {
    const { api, partner, device } = await world()
    const first = await partner.register(device)
    const second = await partner.register(await api.device('SB-0002'), {
      phoneNumber: '+84 901 234 567',
      storeName: 'New name',
    })
    expect(stringAt(second, 'userId')).toBe(stringAt(first, 'userId'))
    expect(stringAt(second, 'store', 'id')).toBe(stringAt(first, 'store', 'id'))
    expect(stringAt(second, 'store', 'storeName')).toBe('New name')
  })

  it('leaves absent fields unchanged', async () => {
    const { partner, device } = await world()
    await partner.register(device, { staticQRCode: 'static' })
    const again = await partner.register(device, { identityNumber: undefined, rmCode: undefined })
    expect(again.body).toMatchObject({
      store: { identityNumber: REGISTRATION.identityNumber, staticQRCode: 'static' },
      device: { rmCode: 'RM-7' },
    })
  })
})

describe('unregistering', () => {
  it('releases the device, keeps store and totals, and clears the screen', async () => {
    const { partner, device, unregister } = await world()
    await partner.register(device)
    await partner.pay()
    const answer = await unregister()
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      ...{ id: UUID, serial: 'SB-0001', deviceName: expect.any(String), rmCode: '' },
      ...{ active: true, connected: true, partnerClientId: '', stores: [] },
    })
    await settle()
    expect(device.heard.findLast((command) => command.t === 'profile')?.d).toEqual({ name: '', qr: '' })
    const back = await partner.register(device)
    expect(back.body).toMatchObject({ store: { totalTransaction: '1', totalAmount: '50000' } })
  })

  it('refuses a device that is not registered', async () => {
    const { unregister } = await world()
    const answer = await unregister()
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 40013 })
  })
})
