import { expect, it } from 'vitest'
import { deviceShow } from '../../../../server/operate/cli/device-look.ts'
import {
  deviceRotate,
  deviceUpdate,
  firmwareOffer,
} from '../../../../server/operate/cli/device-maintenance.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestApi } from '../../../support/api.ts'
import { bornWith, ownerOf } from '../../storage/shop.ts'

const OFFER = { fw: '2.0', url: 'https://updates.example/2.0.bin', size: 10, sha256: 'A'.repeat(43) }

/** A device that takes new keys and firmware, and one that does not. */
async function setUp() {
  const api = createTestApi()
  const { storage, clock } = api
  for (const serial of ['SB-0001', 'SB-0002']) {
    await api.device(serial, { connected: false })
    const { deviceId = '' } = (await storage.devices.credentials(serial)) ?? {}
    const caps = serial === 'SB-0001' ? (['rekey', 'update'] as const) : []
    await storage.outbox.begin(ownerOf(deviceId), clock.now(), {
      born: bornWith({ firmware: '1.0', caps: [...caps] }),
    })
  }
  const workspace = { by: OPERATOR, storage, clock, ids: createRandomIds(), running: async () => undefined }
  const show = async (serial: string) => deviceShow(workspace, serial, {})
  return { ...api, workspace, show }
}

it('gives new keys to devices, names those that take none, and shows what is pending', async () => {
  const { workspace, show } = await setUp()
  const { done, json, text } = await deviceRotate(workspace, ['SB-0001', 'SB-0002', 'SB-0009'])
  expect([done, json]).toEqual([
    false,
    [
      { serial: 'SB-0001', rotating: true, able: true },
      { serial: 'SB-0002', rotating: true, able: false },
      { serial: 'SB-0009', rotating: false, able: null },
    ],
  ])
  expect(text).toMatch(/SB-0002 gets a new key; .*no rekey in its caps/)
  expect(text).toContain('Make a backup now')
  expect((await show('SB-0001')).json).toMatchObject({ newKey: { pendingSince: expect.any(String) } })
  expect((await show('SB-0001')).text).toMatch(/new key +pending since/)
  expect((await show('SB-0002')).text).toMatch(/new key +pending since .*but it takes none/)
})

it('offers firmware, shows the offer and what a device says of it, and withdraws it', async () => {
  const { workspace, show, storage, clock } = await setUp()
  expect(await deviceUpdate(workspace, ['SB-0001'], OFFER)).toMatchObject({ done: true })
  const { deviceId = '' } = (await storage.devices.credentials('SB-0001')) ?? {}
  const said = { fw: '2.0', state: 'downloading', percent: 40, at: clock.now() } as const
  await storage.health.record([{ deviceId, update: said }])
  expect((await show('SB-0001')).json).toMatchObject({ offer: OFFER, update: { percent: 40 } })
  expect((await show('SB-0001')).text).toMatch(/offer +2\.0 since .*\n.*update +2\.0 downloading 40%/)

  expect(await deviceUpdate(workspace, ['SB-0001'], firmwareOffer({ withdraw: true }))).toMatchObject({
    done: true,
  })
  expect((await show('SB-0001')).json).not.toHaveProperty('offer')
})

it('shows how a device has started, and what it has said of its connection', async () => {
  const { show, storage, clock } = await setUp()
  const { deviceId = '' } = (await storage.devices.credentials('SB-0001')) ?? {}
  expect((await show('SB-0001')).json).not.toHaveProperty('runtime')
  const runtime = { reset: 'watchdog', uptime: 3_600, crashes: 1, modem: 'no carrier', at: clock.now() }
  await storage.health.record([
    { deviceId, report: { battery: 50, charging: true, at: clock.now() }, runtime },
  ])
  const { json, text } = await show('SB-0001')
  const startedAt = new Date(clock.now() - 3_600_000).toISOString()
  const said = { reset: 'watchdog', uptime: 3_600, crashes: 1, modem: 'no carrier', startedAt }
  expect(json).toMatchObject({ runtime: said, health: { charging: true } })
  expect(text).toMatch(/reported +50% charging/)
  expect(text).toMatch(/started by +watchdog, 1h ago, 1 crash\n.*connection ended by +no carrier/)
})

it.each([
  ['--fw', { ...OFFER, fw: 'x y' }],
  ['--url', { ...OFFER, url: `https://${'u'.repeat(105)}` }],
  ['--size', { ...OFFER, size: Number.NaN }],
  ['--sha256', { fw: OFFER.fw, url: OFFER.url, size: 10 }],
])('refuses an offer whose %s is missing or does not fit', (option, offer) => {
  const refusal = { exitCode: 2, message: expect.stringContaining(`missing or wrong: ${option};`) }
  expect(() => firmwareOffer(offer)).toThrow(expect.objectContaining(refusal))
})
