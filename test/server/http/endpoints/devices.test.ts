import { describe, expect, it } from 'vitest'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestShop } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

async function world() {
  const { api, partner, device } = await createTestShop()
  const update = (devices: unknown) => partner.call('PATCH', '/device/update-status', { devices })
  return { api, partner, device, update }
}

describe('updating the status of many devices', () => {
  it('reports each item separately, with 200', async () => {
    const { api, update } = await world()
    await api.device('SB-0002')
    const answer = await update([
      { deviceSerial: 'SB-0001', active: false },
      { deviceSerial: 'SB-9999', active: true },
      { deviceSerial: 'SB-0002', active: false },
    ])
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      successCount: 1,
      totalCount: 3,
      failedDevices: ['SB-9999', 'SB-0002'],
      errors: { 'SB-9999': expect.any(String), 'SB-0002': expect.any(String) },
    })
  })

  it('answers 200 even when every item fails', async () => {
    const { update } = await world()
    const answer = await update([{ deviceSerial: 'SB-9999', active: true }])
    expect(answer).toMatchObject({ status: 200, body: { successCount: 0, totalCount: 1 } })
  })

  it('fails a repeated serial; the first item counts', async () => {
    const { partner, update } = await world()
    const answer = await update([
      { deviceSerial: 'SB-0001', active: false },
      { deviceSerial: 'SB-0001', active: true },
    ])
    expect(answer.body).toMatchObject({ successCount: 1, totalCount: 2, failedDevices: ['SB-0001'] })
    expect((await partner.call('GET', '/device/SB-0001')).body).toMatchObject({ active: false })
  })

  it('reports a serial that is also the name of a built-in property', async () => {
    const { update } = await world()
    const answer = await update([{ deviceSerial: '__proto__', active: true }])
    expect(answer.body).toMatchObject({ failedDevices: ['__proto__'] })
    expect(Object.keys(Object(answer.body).errors)).toEqual(['__proto__'])
  })

  it('accepts 1 to 100 items', async () => {
    const { update } = await world()
    const items = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ deviceSerial: `XX-${i}`, active: true }))
    expect((await update(items(100))).body).toMatchObject({ totalCount: 100 })
    for (const count of [0, 101])
      expect((await update(items(count))).body).toMatchObject({
        code: 40001,
        details: [{ field: 'devices' }],
      })
  })

  it.each([[undefined], [null], ['SB-0001'], [{}]])(
    'refuses devices that are not an array: %j',
    async (devices) => {
      const { update } = await world()
      expect((await update(devices)).body).toMatchObject({ code: 40001, details: [{ field: 'devices' }] })
    },
  )
})

describe('a locked device', () => {
  it('is silent; the payment is counted, and its announcement is suppressed', async () => {
    const { partner, device, update } = await world()
    await update([{ deviceSerial: 'SB-0001', active: false }])
    expect((await partner.pay()).status).toBe(200)
    await settle()
    expect(device.heard.filter((command) => command.t === 'announce')).toEqual([])
    const transaction = await partner.call('GET', '/payment/transactions/FT0001')
    expect(transaction.body).toMatchObject({ announcements: [{ stage: 'suppressed' }] })
  })
})

describe('the detail of a device', () => {
  it.each(['SB-9999', 'a', 'no%20serial', '%00', '%F0%28'])('answers 404 40401 for %s', async (serial) => {
    const { partner } = await world()
    const answer = await partner.call('GET', `/device/${serial}`)
    expect(answer.status).toBe(404)
    expect(answer.body).toMatchObject({ code: 40401, error: 'DEVICE_NOT_FOUND' })
  })

  it("is that of the partner's own device or of a free one; a revoked one is not there", async () => {
    const { api, partner } = await world()
    const other = await api.partner('Other')
    await api.device('SB-FREE', { connected: false })
    const statusOf = async ({ call }: typeof partner, serial: string) =>
      (await call('GET', `/device/${serial}`)).status
    expect(await statusOf(partner, 'SB-0001')).toBe(200)
    expect(await statusOf(other, 'SB-0001')).toBe(404)
    expect(await statusOf(other, 'SB-FREE')).toBe(200)
    await api.storage.devices.revoke(OPERATOR, 'SB-0001', api.clock.now())
    expect(await statusOf(partner, 'SB-0001')).toBe(404)
  })
})
