import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import fc from 'fast-check'
import mqttPacket from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import { StandIn } from '../../../protocol/conformance/hub/stand-in.ts'
import { readPacket } from '../../../protocol/conformance/wire/packet.ts'
import { settle } from '../../support/clock.ts'
import { KEY, KEYS, SERIAL } from './support/device-under-test.ts'
import { linePair } from './support/line.ts'
import { WarpClock } from './support/warp-clock.ts'

const UP = `sb/1/${SERIAL}/up/`
const CONNECT = mqttPacket.generate({ cmd: 'connect', clientId: SERIAL, keepalive: 30, clean: true })

/** The first byte of every packet type, with flags that may stand there. */
const packet = fc
  .tuple(fc.integer({ min: 0x10, max: 0xff }), fc.uint8Array({ maxLength: 120 }))
  .map(([first, rest]) => Buffer.from([first, rest.length, ...rest]))

const publish = fc
  .tuple(
    fc.constantFrom('birth', 'ack', 'settings', 'will', 'telemetry', 'log', '../x'),
    fc.oneof(fc.json(), fc.string(), fc.constant('{"t":"birth","played":-1,"caps":7,"lang":null}')),
    fc.constantFrom(0, 1, 2),
  )
  .map(([kind, payload, qos]) =>
    mqttPacket.generate({
      ...{ cmd: 'publish', topic: `${UP}${kind}`, payload, qos: qos === 0 ? 0 : qos === 1 ? 1 : 2 },
      ...{ dup: false, retain: false, messageId: 7 },
    }),
  )

function standIn(): { kit: StandIn; dial(): Duplex } {
  const identity = { serial: SERIAL, key: KEY, keys: KEYS }
  const kit = new StandIn({ identity, clock: new WarpClock(Date.now()), lang: () => 'vi' })
  const dial = () => {
    const [near, far] = linePair()
    kit.serve(far)
    return near.on('error', () => undefined).resume()
  }
  return { kit, dial }
}

describe('a device that sends nonsense', () => {
  it('is read packet by packet without a crash', () => {
    fc.assert(
      fc.property(packet, (bytes) => {
        const read = readPacket(bytes)
        expect(read.ok ? read.packet.cmd : read.reason).toMatch(/\w/)
      }),
      { numRuns: 1_000 },
    )
  })

  it('is malformed where it subscribes to nothing', () => {
    expect(readPacket(Buffer.from([0x82, 2, 0, 1]))).toEqual({
      ok: false,
      reason: 'a SUBSCRIBE without a topic filter',
    })
  })

  it('does not stop the stand-in: the transcript has every packet, and the next device is served', async () => {
    const { kit, dial } = standIn()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(packet, publish), { maxLength: 8 }), async (packets) => {
        const socket = dial()
        socket.write(Buffer.concat([CONNECT, ...packets]))
        await settle()
        socket.destroy()
      }),
      { numRuns: 60 },
    )
    const before = kit.transcript.end
    const socket = dial()
    socket.write(CONNECT)
    const [answer] = await once(socket, 'data')
    expect(answer).toEqual(Buffer.from([0x20, 0x02, 0x00, 0x00]))
    expect(kit.transcript.all.slice(before).map(({ kind }) => kind)).toContain('connect')
  })

  it('can not fill the memory: the stand-in disconnects it after 100,000 packets', async () => {
    const { kit, dial } = standIn()
    for (let seq = 0; seq < 100_000; seq += 1) kit.transcript.add({ link: 1, direction: 'up', kind: 'ack' })
    const socket = dial()
    await once(socket, 'close')
    expect(kit.transcript.end).toBe(100_000)
  })

  it('is distinguished from a device that sends nothing', async () => {
    const { kit, dial } = standIn()
    const socket = dial()
    socket.end()
    await once(socket, 'close')
    await settle()
    expect(kit.transcript.all.map(({ kind }) => kind)).toEqual(['opened', 'closed'])
    expect(kit.open).toBeUndefined()
  })
})
