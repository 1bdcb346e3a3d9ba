import { afterEach, expect, it, vi } from 'vitest'
import { upTopic } from '../../../protocol/topics.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import { connectTo, gateWorld, silentWire } from '../../support/mqtt/gate.ts'
import { sidOf } from '../../support/mqtt/mqtt-device.ts'
import { connectPacket } from '../../support/mqtt/raw-mqtt.ts'

afterEach(() => void vi.restoreAllMocks())

it('a session that outlasts its connection is refused whatever a dialect admits: the broker keeps none', async () => {
  const { admit } = sb1
  vi.spyOn(sb1, 'admit').mockImplementation((packet) => admit({ ...packet, clean: true }))
  const { gate, minted } = await gateWorld()
  const packet = connectPacket(minted, sidOf(1))
  for (const clean of [false, undefined])
    expect(await gate.connect({ ...packet, clean }, silentWire())).toEqual({
      returnCode: 2,
      why: 'not a clean session, and the broker keeps none',
    })
  expect(await gate.connect(packet, silentWire())).toHaveProperty('publish')
})

it('a packet at QoS 2 is refused whatever a dialect reads: the broker keeps none', async () => {
  const { codec } = sb1
  const read = vi.fn(() => ({ kind: 'ignored' }) as const)
  vi.spyOn(sb1, 'codec').mockImplementation((...of) => ({ ...codec(...of), read }))
  const { gate, minted } = await gateWorld()
  const { connection, seen } = await connectTo(gate, minted, 1)
  const published = { topic: upTopic('SB-0001', 'ack'), retain: false, payload: '', messageId: 1 }
  expect([await connection.publish({ ...published, qos: 1 }), seen.closed]).toEqual([true, false])
  expect([await connection.publish({ ...published, qos: 2 }), seen.closed]).toEqual([false, true])
  expect(read).toHaveBeenCalledOnce()
})
