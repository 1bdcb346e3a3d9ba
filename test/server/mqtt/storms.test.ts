import { describe, expect, it } from 'vitest'
import { upTopic } from '../../../protocol/topics.ts'
import { OPERATOR } from '../../support/actors.ts'
import { startTestHub, type TestHub } from '../../support/hub.ts'
import { bornDevice, type MqttDevice, sidOf } from '../../support/mqtt/mqtt-device.ts'
import { connectPacket, openRaw } from '../../support/mqtt/raw-mqtt.ts'
import { until } from '../../support/wait.ts'

async function figure(hub: TestHub, name: string): Promise<number> {
  const text = await (await fetch(`${hub.admin}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}

describe('a device that floods', () => {
  it('is cut off, and others go on as if it were not there', async () => {
    const hub = await startTestHub()
    const quiet = await bornDevice(hub.mqtt, await hub.device('SB-QUIET'))
    const loud = await hub.device('SB-LOUD')
    const raw = await openRaw(hub.mqtt)
    raw.send(connectPacket(loud, sidOf(1)))
    await raw.next('connack')
    for (let i = 0; i < 2_000; i += 1)
      raw.send({
        ...{ cmd: 'publish', topic: upTopic('SB-LOUD', 'telemetry'), payload: '{}' },
        ...{ qos: 0, dup: false, retain: false },
      })
    await raw.untilClosed()
    expect(await figure(hub, 'hub_mqtt_refused_total{reason="too_many"}')).toBe(1)
    expect(quiet.closed).toBe(false)
    await quiet.ack(await quiet.next('profile'), 'shown')
    await hub.storage.settings.change(OPERATOR, 'SB-QUIET', { volume: 50, lang: 'vi' }, 0)
    expect(await quiet.next('settings')).toMatchObject({ d: { volume: 50 } })
  })
})

it('takeovers are counted', async () => {
  const hub = await startTestHub()
  const device = await hub.device('SB-0001')
  const all: MqttDevice[] = []
  for (let n = 1; n <= 6; n += 1) all.push(await bornDevice(hub.mqtt, device, { sid: sidOf(n) }))
  await until('the end of all but the last', () => all.slice(0, -1).every((one) => one.closed))
  expect(await figure(hub, 'hub_mqtt_takeovers_total')).toBe(5)
})
