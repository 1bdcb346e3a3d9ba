import type { ConnectPacket } from 'aedes'
import { describe, expect, it } from 'vitest'
import { admit } from '../../../server/dialects/sb1/connect.ts'

const WILL = {
  topic: 'sb/1/SB-0001/up/will',
  payload: Buffer.from('{"sid":"00000000000000aa","reason":"lost"}'),
  qos: 1,
  retain: false,
} as const
const CONNECT: ConnectPacket = {
  ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 60 },
  ...{ clientId: 'SB-0001', username: 'SB-0001', will: WILL },
}
const withWill = (will: object) => ({ will: { ...WILL, ...will } })
const withPayload = (payload: string) => withWill({ payload: Buffer.from(payload) })

describe('a CONNECT', () => {
  it('tells serial, session and keepalive when it is well-formed', () => {
    expect(admit(CONNECT)).toEqual({ serial: 'SB-0001', sessionId: '00000000000000aa', keepaliveMs: 60_000 })
  })

  it.each([
    ['the shortest keepalive', { keepalive: 15 }],
    ['the longest keepalive', { keepalive: 120 }],
    ['a will at QoS 0', withWill({ qos: 0 })],
    [
      'a will with fields of a later version',
      withPayload('{"sid":"00000000000000aa","reason":"lost","x":1}'),
    ],
  ])('may have %s', (_, changes) => {
    expect(admit({ ...CONNECT, ...changes })).toMatchObject({ sessionId: '00000000000000aa' })
  })

  it.each<[string, object]>([
    ['MQTT 3.1', { protocolId: 'MQIsdp', protocolVersion: 3 }],
    ['MQTT 5', { protocolVersion: 5 }],
    ['another username', { username: 'SB-0002' }],
    ['no username', { username: undefined }],
    ['a client id with a wildcard', { clientId: '+/#', username: '+/#' }],
    ['a client id with a slash', { clientId: 'SB/0001', username: 'SB/0001' }],
    ['an empty client id', { clientId: '', username: '' }],
    ['a persistent session', { clean: false }],
    ['no keepalive', { keepalive: undefined }],
    ['keepalive 0', { keepalive: 0 }],
    ['keepalive 14', { keepalive: 14 }],
    ['keepalive 121', { keepalive: 121 }],
    ['no will', { will: undefined }],
    ["another device's will topic", withWill({ topic: 'sb/1/SB-0002/up/will' })],
    ['a will on another topic of its own', withWill({ topic: 'sb/1/SB-0001/up/ack' })],
    ['a retained will', withWill({ retain: true })],
    ['a will at QoS 2', withWill({ qos: 2 })],
    ['a will that is no JSON', withPayload('lost')],
    ['a will that is no object', withPayload('[]')],
    ['a will without a sid', withPayload('{"reason":"lost"}')],
    ['a sid of 15 characters', withPayload('{"sid":"00000000000000a","reason":"lost"}')],
    ['a sid in upper case', withPayload('{"sid":"00000000000000AA","reason":"lost"}')],
    ['a sid that is a number', withPayload('{"sid":1234567890123456,"reason":"lost"}')],
    ['a will without a reason', withPayload('{"sid":"00000000000000aa"}')],
  ])('sb/1 1.2, sb/1 1.3, sb/1 3.2: is refused with %s, and the reason is a sentence', (_, changes) => {
    const { refused } = Object(admit({ ...CONNECT, ...changes }))
    expect(refused).toMatch(/\w+ \w+/)
  })
})
