import { afterEach, expect, it, vi } from 'vitest'
import { upTopic } from '../../../protocol/topics.ts'
import { mintDevice } from '../../../server/devices/mint-devices.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { OPERATOR } from '../../support/actors.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { createTestCore } from '../../support/core.ts'
import { sidOf } from '../../support/mqtt/mqtt-device.ts'
import { connectPacket } from '../../support/mqtt/raw-mqtt.ts'
import { openTestStorage } from '../../support/storage.ts'

/** The gate of a hub, whose dialect a test makes laxer, and the CONNECT of a device. */
async function world() {
  const { storage, vault } = openTestStorage()
  const { devices } = storage
  const [clock, ids] = [createVirtualClock(), createRandomIds()]
  const { gate } = createTestCore({ storage, vault, clock, ids })
  const minted = await mintDevice({ by: OPERATOR, devices, loginHash: sb1.loginHash, clock, ids }, 'SB-0001')
  if (!minted) throw new Error('the serial is taken')
  const close = vi.fn()
  const wire = {
    ...{ address: '127.0.0.1', write: () => true, whenDrained: () => undefined },
    ...{ expect: () => undefined, close },
  }
  return { gate, packet: connectPacket(minted, sidOf(1)), wire }
}

afterEach(() => void vi.restoreAllMocks())

it('a session that outlasts its connection is refused whatever a dialect admits: the broker keeps none', async () => {
  const { admit } = sb1
  vi.spyOn(sb1, 'admit').mockImplementation((packet) => admit({ ...packet, clean: true }))
  const { gate, packet, wire } = await world()
  for (const clean of [false, undefined])
    expect(await gate.connect({ ...packet, clean }, wire)).toEqual({
      returnCode: 2,
      why: 'not a clean session, and the broker keeps none',
    })
  expect(await gate.connect(packet, wire)).toHaveProperty('publish')
})

it('a packet at QoS 2 is refused whatever a dialect reads: the broker keeps none', async () => {
  const { codec } = sb1
  const read = vi.fn(() => ({ kind: 'ignored' }) as const)
  vi.spyOn(sb1, 'codec').mockImplementation((...of) => ({ ...codec(...of), read }))
  const { gate, packet, wire } = await world()
  const connection = await gate.connect(packet, wire)
  if ('why' in connection) throw new Error(connection.why)
  const published = { topic: upTopic('SB-0001', 'ack'), retain: false, payload: '', messageId: 1 }
  expect(await connection.publish({ ...published, qos: 1 })).toBe(true)
  expect(wire.close).not.toHaveBeenCalled()
  expect(await connection.publish({ ...published, qos: 2 })).toBe(false)
  expect([read.mock.calls.length, wire.close.mock.calls.length]).toEqual([1, 1])
})
