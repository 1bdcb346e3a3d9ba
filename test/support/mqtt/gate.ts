import { onTestFinished } from 'vitest'
import { sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { upTopic } from '../../../protocol/topics.ts'
import { mintDevice } from '../../../server/devices/mint-devices.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import type { Connection } from '../../../server/mqtt/connection.ts'
import type { Gate } from '../../../server/mqtt/gate.ts'
import type { Published, Wire } from '../../../server/mqtt/link.ts'
import { createMetrics } from '../../../server/operate/metrics.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createLog } from '../../../server/platform/log.ts'
import { OPERATOR } from '../actors.ts'
import { createVirtualClock, settle } from '../clock.ts'
import { createTestCore } from '../core.ts'
import { openTestStorage } from '../storage.ts'
import { keysOf, type Minted, sidOf } from './mqtt-device.ts'
import { type DownPacket, readPackets } from './packets.ts'
import { connectPacket } from './raw-mqtt.ts'

/** A gate on a hub's own core, and a device. */
export async function gateWorld() {
  const { storage, vault } = openTestStorage()
  onTestFinished(settle)
  const { devices } = storage
  const [clock, ids, lines] = [createVirtualClock(), createRandomIds(), [] as string[]]
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const refused: string[] = []
  const metrics = { ...createMetrics(clock), mqttRefused: (reason: string) => void refused.push(reason) }
  const { gate, delivery } = createTestCore({ storage, vault, clock, ids, log, metrics })
  const minted = await mintDevice({ by: OPERATOR, devices, loginHash: sb1.loginHash, clock, ids }, 'SB-0001')
  if (!minted) throw new Error('the serial is taken')
  const said = () => lines.map((line) => Object(JSON.parse(line)))
  return { storage, clock, gate, delivery, minted, refused, said }
}

/** A connection, and what its carrier sees. `closes`: the carrier reports the end as soon as the gate closes it. */
export async function connectTo(gate: Gate, minted: Minted, session: number, { closes = true } = {}) {
  const seen = { packets: [] as DownPacket[], closed: false }
  let connection: Connection | undefined
  const close = () => {
    seen.closed = true
    if (closes) connection?.closed()
  }
  const answer = await gate.connect(connectPacket(minted, sidOf(session)), {
    write(packets) {
      seen.packets.push(...readPackets(packets))
      return true
    },
    whenDrained: () => undefined,
    expect: () => undefined,
    address: '127.0.0.1',
    ...{ close, reset: close },
  })
  if ('why' in answer) throw new Error(answer.why)
  connection = answer
  if (seen.closed && closes) connection.closed()
  return { seen, connection }
}

export const silentWire = (): Wire => ({
  address: '127.0.0.1',
  write: () => true,
  whenDrained: () => undefined,
  expect: () => undefined,
  close: () => undefined,
  reset: () => undefined,
})

export function upPacket(
  minted: Minted,
  session: number,
  messageId: number,
  body: { t: 'birth' | 'ack' },
): Published {
  const { serial } = minted
  const payload = sealFrame(keysOf(minted).up, upPrefix(serial, sidOf(session), body.t), body)
  return { topic: upTopic(serial, body.t), qos: 1, retain: false, payload, messageId }
}

export const birthOf = (session: number) =>
  ({ t: 'birth', sid: sidOf(session), fw: '1', model: 'm' }) as const
