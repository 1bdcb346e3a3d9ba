import type { ConnectPacket } from 'aedes'
import { describe, expect, it } from 'vitest'
import { Breach } from '../../../server/delivery/dialect.ts'
import { admit, maySubscribe } from '../../../server/dialects/sb1/connect.ts'
import { checkPublish } from '../../../server/dialects/sb1/hear.ts'
import { topicVectors } from '../../protocol/vectors.ts'

type Row = (typeof topicVectors.rows)[number]

function isAllowed({ serial, action, topic, qos, retain }: Row): boolean {
  switch (action) {
    case 'publish':
      return mayPublish(serial, { topic, qos, retain })
    case 'subscribe':
      return maySubscribe(serial, { topic, qos }).refused === undefined
    case 'will':
      return 'sessionId' in admit(connectWith(serial, { topic, qos, retain }))
  }
}

function mayPublish(...publish: Parameters<typeof checkPublish>): boolean {
  try {
    return checkPublish(...publish) !== undefined
  } catch (error) {
    if (error instanceof Breach) return false
    throw error
  }
}

function connectWith(serial: string, will: { topic: string; qos: number; retain: boolean }) {
  const payload = Buffer.from('{"sid":"9f86d081884c7d65","reason":"lost"}')
  const packet = {
    ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 60 },
    ...{ clientId: serial, username: serial, will: { ...will, payload } },
  }
  // The rows know any QoS from 0 to 2; the packet's type wants it as a literal.
  return packet as ConnectPacket
}

describe('the broker, held to topics.json', () => {
  it.each(topicVectors.rows)('sb/1 4.1: $action $topic at QoS $qos, retain $retain: $why', (row) => {
    expect(isAllowed(row)).toBe(row.allowed)
  })
})
