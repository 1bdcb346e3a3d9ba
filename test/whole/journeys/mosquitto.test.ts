import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { downPrefix, openFrame, sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { passwordOf } from '../../../protocol/keys.ts'
import { parseCommand } from '../../../protocol/messages/command.ts'
import { downTopic, upTopic } from '../../../protocol/topics.ts'
import { partnerOf } from '../../support/http/partner-client.ts'
import { startTestHub } from '../../support/hub.ts'
import { keysOf, type Minted, sidOf } from '../../support/mqtt/mqtt-device.ts'
import { start } from '../../support/processes/process.ts'
import { until } from '../../support/wait.ts'

/**
 * The Mosquitto command-line tools as a device: an MQTT implementation that shares nothing with the hub's
 * broker or the simulator. One client id has one connection, so hearing and speaking on the same connection
 * is what mosquitto_rr does (publish, then wait on a topic).
 */

const MISSING = 'the Mosquitto clients are not installed (apt-get install mosquitto-clients)'
const missing = (tool: string) => spawnSync(tool, ['--help']).error !== undefined
const sid = sidOf(7)

function connection(mqtt: string, device: Minted, changes: { password?: string; keepalive?: string } = {}) {
  const { hostname, port } = new URL(mqtt)
  return [
    ...['-h', hostname, '-p', port, '-V', '311', '-i', device.serial, '-u', device.serial],
    ...['-P', changes.password ?? passwordOf(keysOf(device)), '-k', changes.keepalive ?? '120', '-q', '1'],
    ...['--will-topic', upTopic(device.serial, 'will'), '--will-qos', '1'],
    ...['--will-payload', JSON.stringify({ sid, reason: 'lost' })],
  ]
}

it('mosquitto_sub as an ear connects and subscribes, and hears nothing before a birth', async ({ skip }) => {
  skip(missing('mosquitto_sub'), MISSING)
  const hub = await startTestHub()
  const device = await hub.device('SB-0001')
  const partner = await partnerOf(hub)
  const ear = start('stdbuf', [
    '-oL',
    'mosquitto_sub',
    '-d',
    ...connection(hub.mqtt, device),
    '-t',
    downTopic(device.serial),
  ])
  await until('the SUBACK', () => ear.stdout().includes('received SUBACK'))
  const asked = await partner.call('POST', '/device/send-verification', { deviceSerial: device.serial })
  expect(asked.body).toMatchObject({ code: 40901 })
  ear.child.kill('SIGTERM')
  expect((await ear.ended).stdout).not.toContain('received PUBLISH')
})

it.for<[string, { password?: string; keepalive?: string }]>([
  ['a wrong password', { password: 'A'.repeat(43) }],
  ['a keepalive of 600 s', { keepalive: '600' }],
])('mosquitto_sub is refused with %s', async ([_, changes], { skip }) => {
  skip(missing('mosquitto_sub'), MISSING)
  const hub = await startTestHub()
  const device = await hub.device('SB-0001')
  const ear = start('mosquitto_sub', [
    ...connection(hub.mqtt, device, changes),
    '-t',
    downTopic(device.serial),
  ])
  const ended = await ear.ended
  expect(ended.code).not.toBe(0)
  expect(ended.stderr).toMatch(/refused|rejected|not authori[sz]ed/i)
})

it('mosquitto_rr is born and gets a welcome that its key opens', async ({ skip }) => {
  skip(missing('mosquitto_rr'), MISSING)
  const hub = await startTestHub()
  const device = await hub.device('SB-0001')
  const keys = keysOf(device)
  const body = { t: 'birth', sid, fw: '2.0', model: 'mosquitto', caps: [], lang: ['vi'], rx: 512, played: 41 }
  const birth = sealFrame(keys.up, upPrefix(device.serial, sid, 'birth'), body).toString()
  const topics = ['-t', upTopic(device.serial, 'birth'), '-e', downTopic(device.serial)]
  const ended = await start('mosquitto_rr', [...connection(hub.mqtt, device), ...topics, '-m', birth]).ended
  expect(ended.stderr).toBe('')
  const opened = openFrame(keys.down, downPrefix(device.serial, sid), Buffer.from(ended.stdout.trim()))
  expect(opened.ok && parseCommand(opened.body)).toMatchObject({
    kind: 'command',
    // Numbered above what the device says it has played.
    command: { t: 'welcome', d: { n: 41, linked: false } },
  })
  expect(await hub.storage.devices.list()).toMatchObject([
    { serial: 'SB-0001', firmware: '2.0', model: 'mosquitto' },
  ])
})
