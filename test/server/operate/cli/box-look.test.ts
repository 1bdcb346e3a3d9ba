import { expect, it } from 'vitest'
import { SHIPPED } from '../../../../server/dialects/boxes.ts'
import { deviceIdentify, deviceSettings } from '../../../../server/operate/cli/device.ts'
import { deviceList, deviceShow } from '../../../../server/operate/cli/device-look.ts'
import { deviceRotate, deviceUpdate } from '../../../../server/operate/cli/device-maintenance.ts'
import { reportBoxes } from '../../../../server/operate/cli/doctor-boxes.ts'
import type { RunningHub, Workspace } from '../../../../server/operate/cli/workspace.ts'
import { readConfig } from '../../../../server/platform/config.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestApi } from '../../../support/api.ts'
import { boxOf } from '../../storage/boxes.ts'

const OFFER = { fw: '2.0', url: 'https://updates.example/2.0.bin', size: 10, sha256: 'A'.repeat(43) }

/** A hub with a speaker of its own and three boxes, as the commands see it. */
async function setUp(hub: RunningHub = { http: 'http://127.0.0.1:1', box: 'mqtt://127.0.0.1:2' }) {
  const { storage, clock } = await withOwnSpeaker()
  const mint = (name: string, profile: string, document?: string) => {
    const dialect = SHIPPED.get(profile)?.dialect ?? 'oneway'
    return storage.devices.mintBox(OPERATOR, boxOf(name, { dialect, profile, document }))
  }
  await mint('one', 'hemipay')
  await mint('two', 'morefun')
  await mint('three', 'later', '{"name":"later"}')
  const running = async (): Promise<RunningHub | undefined> => hub
  return { by: OPERATOR, storage, clock, running }
}

async function withOwnSpeaker() {
  const api = createTestApi()
  await api.device('SB-0001', { connected: false })
  return api
}

it('lists and shows of each device its dialect, its profile and what that says', async () => {
  const workspace = await setUp()
  const { json, text } = await deviceList(workspace, {})
  expect(json).toMatchObject([
    { serial: 'BOX-three', dialect: 'oneway', profile: 'later', wireId: 'W-three', proof: null },
    { serial: 'BOX-two', dialect: 'oneway', profile: 'morefun', proof: 'none', identity: 'weak' },
    { serial: 'BOX-one', dialect: 'hemipay', profile: 'hemipay', proof: 'accepted', identity: 'device' },
    { serial: 'SB-0001', dialect: 'sb/1', profile: null, wireId: null, proof: 'played' },
  ])
  expect(text).toMatch(/BOX-one .* hemipay\n/)
  expect((await deviceList(workspace, { dialect: 'oneway' })).json).toHaveLength(2)
  expect((await deviceList(workspace, { dialect: 'sb/1' })).json).toMatchObject([{ serial: 'SB-0001' }])

  const weak = await deviceShow(workspace, 'BOX-two', {})
  expect(weak.json).toMatchObject({ dialect: 'oneway', wireId: 'W-two', proof: 'none', identity: 'weak' })
  expect(weak.text).toMatch(/box +dialect oneway, profile morefun, wire id W-two\n/)
  expect(weak.text).toMatch(/login +weak: it does not prove .*\n {2}proof of sound +none\n/)
  expect((await deviceShow(workspace, 'BOX-three', {})).text).toMatch(/proof of sound +not known\n/)
  expect((await deviceShow(workspace, 'SB-0001', {})).text).not.toMatch(/dialect|proof/)
})

it.each<[what: string, hub: RunningHub, why: RegExp]>([
  [
    'a port',
    { http: '', box: 'mqtt://127.0.0.1:2' },
    /^It has never connected: is HUB_BOX_PORT set, .* W-one/,
  ],
  ['a port with TLS', { http: '', boxTls: 'mqtts://127.0.0.1:2' }, /^It has never connected/],
  ['no port', { http: '' }, /^The hub that runs has no port for boxes of other makers/],
  ['a hub that does not say', {}, /^It has never connected/],
])('says why a box is silent: %s', async (_, hub, why) => {
  const shown = await deviceShow(await setUp(hub), 'BOX-one', {})
  expect(shown.json).toMatchObject({ why: expect.arrayContaining([expect.stringMatching(why)]) })
})

it('refuses what no box can do, and stores no wish for it', async () => {
  const workspace = await setUp()
  const { storage, clock } = workspace
  const ids = { deviceKey: () => Buffer.alloc(32) } as Workspace['ids']
  const is = /it is a box of dialect hemipay, profile hemipay\./
  const acts = [
    deviceIdentify(workspace, 'BOX-one'),
    deviceSettings(workspace, 'BOX-one', { volume: 5 }),
    deviceSettings(workspace, 'BOX-one', {}),
    deviceRotate({ ...workspace, ids }, ['BOX-one']),
    deviceUpdate({ ...workspace, ids }, ['BOX-one'], OFFER),
  ]
  for (const act of acts) expect(await act).toMatchObject({ done: false, text: expect.stringMatching(is) })
  expect(await storage.devices.takeIdentifyRequests(0)).toEqual([])
  expect((await storage.settings.find(OPERATOR, 'BOX-one'))?.desired).toBeUndefined()
  const found = await storage.lists.devices.find('BOX-one', clock.now())
  expect([found?.nextKeySince, found?.offer]).toEqual([undefined, undefined])
  const actions = (await storage.audit.list({ subject: 'BOX-one', limit: 9 })).map(({ action }) => action)
  expect(actions).toEqual(['device.add'])

  // The others of the same command get theirs.
  const both = await deviceUpdate({ ...workspace, ids }, ['BOX-one', 'SB-0001'], OFFER)
  expect(both).toMatchObject({
    done: false,
    json: [
      { serial: 'BOX-one', offered: false, able: false },
      { serial: 'SB-0001', offered: true },
    ],
  })
})

it('the doctor counts boxes by profile, and says what keeps them silent', async () => {
  const { storage } = await setUp()
  const boxes = (env: Record<string, string>) => readConfig(env).boxes
  const port = { HUB_BOX_PORT: '1885' }
  await expect(reportBoxes(storage, boxes({}))).rejects.toThrow(
    "3 boxes can't connect: set HUB_BOX_PORT, and start the hub again.",
  )
  await expect(reportBoxes(storage, boxes(port))).rejects.toThrow(
    /does not understand the profiles later, so their boxes are refused/,
  )
  await storage.devices.revoke(OPERATOR, 'BOX-three', 1)
  expect(await reportBoxes(storage, boxes(port))).toBe(
    '1 hemipay, 1 morefun with a weak login; from everywhere that reaches 127.0.0.1',
  )
  for (const name of ['one', 'two']) await storage.devices.revoke(OPERATOR, `BOX-${name}`, 1)
  expect(await reportBoxes(storage, boxes({}))).toBe('none; no port')
  const some = boxes({ ...port, HUB_BOX_FROM: '10.0.0.0/8' })
  expect(await reportBoxes(storage, some)).toBe('none; from HUB_BOX_FROM alone at 127.0.0.1')
})
