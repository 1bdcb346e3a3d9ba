import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IClientOptions } from 'mqtt'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../support/folder.ts'
import { startProbe } from '../../../support/mqtt/box-probe.ts'

interface Box extends IClientOptions {
  filter: string
  published?: [topic: string, payload: string]
}

const DRAFTS: [what: string, box: Box, profile: object, ...sentences: string[]][] = [
  [
    'Hemipay with a keypad',
    {
      ...{ clientId: 'dev_Y6B0001', keepalive: 0, filter: '/LLZN/Y6B0001' },
      published: ['Y6B0001/pubmsg', '{"message_id":"1","packet_type":"request_payment"}'],
    },
    {
      ...{ dialect: 'hemipay', wireId: 'dev_{serial}', keypad: true, played: [] },
      topics: { down: '/LLZN/{serial}', up: '{serial}/pubmsg' },
    },
    'The box has no keepalive',
    'The box logs in without a password',
  ],
  [
    'Hemipay by its messages alone',
    {
      ...{ clientId: 'SN12345', filter: 'down/+', published: ['SN12345/x', '{"packet_type":"heartbeat"}'] },
    },
    { dialect: 'hemipay', topics: { down: null, up: '{serial}/x' }, keypad: false },
    'topics.down: It subscribes to down/+.',
  ],
  [
    'Alink with a password of an HMAC',
    {
      ...{ clientId: '1|securemode=2|', username: 'box77&a1Key', password: 'F'.repeat(64) },
      filter: '/sys/a1Key/box77/thing/#',
    },
    {
      ...{ dialect: 'alink', wireId: '{serial}&{productKey}', productKey: 'a1Key', clip: '{clip}' },
      ...{ login: { password: { hmac: 'alink' } } },
      topics: { down: '/sys/{productKey}/{serial}/thing/service/SpeechBroadcast' },
    },
  ],
  [
    'openLuat',
    { clientId: '860000000000001', filter: '/sub/topic/money/860000000000001' },
    {
      ...{ dialect: 'oneway', topics: { down: '/sub/topic/money/{serial}' } },
      announce: [{ json: { money: '{amount}' } }],
    },
  ],
  [
    'clip numbers on a topic of its own',
    {
      ...{ clientId: 'c1', username: 'sn-000042-vn', filter: 'yunlaba/000042' },
      published: ['yunlaba/up', '{"cmd":"getinfo","batt":4100}'],
    },
    {
      ...{ dialect: 'oneway', pack: 'vi-en', wireId: 'sn-{serial}-vn' },
      topics: { down: 'yunlaba/{serial}' },
    },
  ],
  [
    'a box that nobody knows',
    { clientId: 'device-860123', username: 'all', password: 'x', filter: 'kiotel/client/sb/860123' },
    {
      ...{ dialect: null, wireId: 'device-{serial}', topics: { down: 'kiotel/client/sb/{serial}' } },
      ...{ name: 'my-box', login: { password: 'minted' } },
    },
    'dialect: none was recognised',
  ],
]

it.each(DRAFTS)('drafts a profile: %s', async (_, { filter, published, ...login }, profile, ...sentences) => {
  const probed = await startProbe()
  const box = await probed.box(login)
  await box.subscribeAsync(filter, { qos: 1 })
  if (published) await box.publishAsync(...published, { qos: 1 })
  const { draft } = await probed.end()
  expect(draft).toMatchObject({ profile })
  for (const sentence of sentences) expect(String(draft?.fillIn)).toContain(sentence)
})

it('drafts the box that has subscribed, over its connections', async () => {
  const probed = await startProbe()
  const first = await probed.box({ clientId: 'SN-0001' })
  await first.subscribeAsync('a/SN-0001')
  await first.endAsync()
  const again = await probed.box({ clientId: 'SN-0001' })
  await again.publishAsync('b/SN-0001', '', { qos: 1 })
  await probed.box({ clientId: 'another' })
  const { draft } = await probed.end()
  expect(draft).toMatchObject({ profile: { topics: { down: 'a/{serial}', up: 'b/{serial}' } } })
})

it('writes the draft to a new file', async () => {
  const out = join(temporaryFolder(), 'profile.json')
  const probed = await startProbe({ out })
  await probed.box({ clientId: 'SN-0001' })
  const { draft, hasDraft } = await probed.end()
  expect(hasDraft).toBe(true)
  expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(draft?.profile)
  await expect(startProbe({ out })).rejects.toThrow(`${out} exists: name a new file.`)
})

it('has no draft when no box has connected', async () => {
  const probed = await startProbe()
  expect(await probed.end()).toEqual({ hasDraft: false, draft: undefined })
  expect(probed.complaints).toEqual(['No box has connected: there is nothing to draft.'])
})
