import { describe, expect, it } from 'vitest'
import { badFields, createTestShop } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

async function world(options?: { connected: boolean }) {
  const { api, partner, device } = await createTestShop()
  if (options?.connected === false) device.leave()
  const put = (body: unknown) => partner.call('PUT', '/device/SB-0001/settings', body)
  const get = () => partner.call('GET', '/device/SB-0001/settings')
  return { api, partner, device, put, get }
}

describe('PUT /partner/device/{serial}/settings', () => {
  it('answers with the desired settings, and sends them to the device', async () => {
    const { device, put, get } = await world()
    const desired = { ver: 1, volume: 40, lang: 'vi' }
    const answer = await put({ volume: 40, lang: 'vi' })
    expect(answer).toMatchObject({
      status: 200,
      body: { deviceSerial: 'SB-0001', desired, reported: null, applied: false },
    })
    await settle()
    expect(device.heard.at(-1)).toMatchObject({ t: 'settings', d: desired })
    expect((await get()).body).toEqual(answer.body)
  })

  it('answers applied: true after the device has reported them', async () => {
    const { device, put, get } = await world()
    await put({ volume: 40, lang: 'vi' })
    await device.report({ ver: 1, volume: 40, lang: 'vi' })
    expect((await get()).body).toMatchObject({ reported: { ver: 1, volume: 40, lang: 'vi' }, applied: true })
  })

  it('sb/1 8.7: tells a device in its welcome which version the hub knows, so that it can report another one', async () => {
    const { device, put } = await world({ connected: false })
    const known = async () => {
      await device.connect()
      return device.heard.findLast(({ t }) => t === 'welcome')?.d
    }
    expect(await known()).not.toHaveProperty('settings')
    expect((await put({ volume: 40 })).status).toBe(400)
    await device.report({ ver: 0, volume: 80, lang: 'vi' })
    expect(await put({ volume: 40 })).toMatchObject({
      status: 200,
      body: { desired: { ver: 1, lang: 'vi' } },
    })
    device.leave()
    expect(await known()).toMatchObject({ settings: 0 })
    await device.report({ ver: 1, volume: 40, lang: 'vi' })
    device.leave()
    expect(await known()).toMatchObject({ settings: 1 })
  })

  it.each([
    [{}, ['body']],
    [{ volume: 101 }, ['volume']],
    [{ volume: -1 }, ['volume']],
    [{ volume: 1.5 }, ['volume']],
    [{ volume: '40' }, ['volume']],
    [{ volume: null, lang: 'fr' }, ['lang', 'volume']],
    [{ lang: 'vi' }, ['volume']],
  ])('refuses %o', async (body, fields) => {
    const { put, device } = await world()
    const answer = await put(body)
    expect(answer).toMatchObject({ status: 400, body: { code: 40001 } })
    expect(badFields(answer)).toEqual(fields)
    expect(device.heard.map(({ t }) => t)).not.toContain('settings')
  })
})

it.each([
  ['GET', 'settings'],
  ['PUT', 'settings'],
  ['POST', 'test-announcement'],
])("%s %s: an unregistered device and another partner's device do not exist", async (method, of) => {
  const { api } = await world()
  const stranger = await api.partner('Other')
  const free = await api.device('SB-FREE')
  const body = method === 'PUT' ? { volume: 40, lang: 'vi' } : undefined
  for (const serial of ['SB-0001', 'SB-FREE', 'SB-NONE'])
    expect(await stranger.call(method, `/device/${serial}/${of}`, body)).toMatchObject({
      status: 404,
      body: { code: 40401 },
    })
  expect(free.heard.map(({ t }) => t)).not.toContain('identify')
})

describe('POST /partner/device/{serial}/test-announcement', () => {
  const test = ({ partner }: Pick<Awaited<ReturnType<typeof world>>, 'partner'>) =>
    partner.call('POST', '/device/SB-0001/test-announcement')

  it('answers with the time when the device has beeped', async () => {
    const there = await world()
    expect(await test(there)).toMatchObject({
      status: 200,
      body: { deviceSerial: 'SB-0001', playedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    })
    expect(there.device.heard.at(-1)).toMatchObject({ t: 'identify' })
  })

  it('answers 40901 for an offline device', async () => {
    expect(await test(await world({ connected: false }))).toMatchObject({
      status: 409,
      body: { code: 40901 },
    })
  })

  it('answers 40906 with the reason when the device cannot be heard', async () => {
    const there = await world()
    there.device.obeys = 'silent'
    const answer = test(there)
    await settle()
    const [identify] = there.device.heard.filter(({ t }) => t === 'identify')
    if (!identify) throw new Error('the device was not asked')
    await there.device.ack(identify, 'failed', 'muted')
    expect(await answer).toMatchObject({
      status: 409,
      body: {
        code: 40906,
        details: [{ field: 'deviceSerial', issue: expect.stringContaining('raise its volume') }],
      },
    })
  })

  it('answers 50401 when the device does not respond within ten seconds', async () => {
    const there = await world()
    there.device.obeys = 'silent'
    const answer = test(there)
    await settle()
    await there.api.clock.wind(10_000)
    expect(await answer).toMatchObject({ status: 504, body: { code: 50401 } })
  })
})
