import { expect, it, vi } from 'vitest'
import { downPrefix, openFrame } from '../../../protocol/frame.ts'
import { downTopic, upTopic } from '../../../protocol/topics.ts'
import { mintDevice } from '../../../server/devices/mint-devices.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { OPERATOR } from '../../support/actors.ts'
import { settle } from '../../support/clock.ts'
import { birthOf, connectTo, gateWorld, silentWire, upPacket } from '../../support/mqtt/gate.ts'
import { keysOf, sidOf } from '../../support/mqtt/mqtt-device.ts'
import { connectPacket } from '../../support/mqtt/raw-mqtt.ts'

const ACK = { t: 'ack', id: '01JD3Z8Q6X9V5T7M2K4N8P0R1S', n: 1, st: 'received' } as const

it.each([
  [2, 'a CONNECT that is not allowed', { keepalive: 5 }],
  [4, 'a wrong password', { password: Buffer.from('A'.repeat(43)) }],
  [4, 'an unknown serial', { clientId: 'SB-0002', username: 'SB-0002' }],
])('sb/1 1.5: answers %d to %s', async (returnCode, _, changes) => {
  const { gate, minted } = await gateWorld()
  const packet = { ...connectPacket(minted, sidOf(1)), ...changes }
  const { clientId } = packet
  const will = {
    ...packet.will,
    topic: upTopic(clientId, 'will'),
    payload: `{"sid":"${sidOf(1)}","reason":"lost"}`,
  }
  const wire = silentWire()
  expect(await gate.connect({ ...packet, will }, wire)).toMatchObject({ returnCode })
})

it('sb/1 1.7: answers 3 while the credentials can not be read', async () => {
  const { storage, gate, minted } = await gateWorld()
  await storage.close()
  const wire = silentWire()
  expect(await gate.connect(connectPacket(minted, sidOf(1)), wire)).toMatchObject({ returnCode: 3 })
})

it('sb/1 2.9: admits a device with either key, and a birth under the next one makes it the only one', async () => {
  const { storage, gate, minted, clock } = await gateWorld()
  const { serial } = minted
  const renewed = { serial, key: Buffer.alloc(32, 5).toString('base64url') }
  const next = { key: Buffer.alloc(32, 5), loginHash: sb1.loginHash(Buffer.alloc(32, 5)) }
  await storage.maintenance.rotate(OPERATOR, serial, next, clock.now())
  const old = await connectTo(gate, minted, 1)
  old.connection.subscribe({ topic: downTopic(serial), qos: 1 })
  expect(await old.connection.publish(upPacket(minted, 1, 1, birthOf(1)))).toBe(true)
  const young = await connectTo(gate, renewed, 2)
  young.connection.subscribe({ topic: downTopic(serial), qos: 1 })
  expect(await young.connection.publish(upPacket(renewed, 2, 1, birthOf(2)))).toBe(true)
  await expect(connectTo(gate, minted, 3)).rejects.toThrow('wrong password')
  await connectTo(gate, renewed, 4)
})

it('sb/1 2.9: closes the connection at a birth under a key that was replaced after the CONNECT', async () => {
  const { storage, gate, minted, clock } = await gateWorld()
  const { serial } = minted
  const renewed = { serial, key: Buffer.alloc(32, 5).toString('base64url') }
  const give = (byte: number) => {
    const key = Buffer.alloc(32, byte)
    return storage.maintenance.rotate(OPERATOR, serial, { key, loginHash: sb1.loginHash(key) }, clock.now())
  }
  await give(5)
  const { seen, connection } = await connectTo(gate, renewed, 1)
  connection.subscribe({ topic: downTopic(serial), qos: 1 })
  await give(6)
  expect(await connection.publish(upPacket(renewed, 1, 1, birthOf(1)))).toBe(false)
  expect(seen).toMatchObject({ closed: true, packets: [] })
})

it('sb/1 3.4: admits a new connection only when the carrier has reported the end of the older one', async () => {
  const { gate, minted } = await gateWorld()
  const older = await connectTo(gate, minted, 1, { closes: false })
  let isAdmitted = false
  const younger = connectTo(gate, minted, 2).then(() => {
    isAdmitted = true
  })
  await settle()
  expect([older.seen.closed, isAdmitted]).toEqual([true, false])
  older.connection.closed()
  await younger
  expect(isAdmitted).toBe(true)
})

it('sb/1 3.4: lets three that connect at once take turns, and the last one stands', async () => {
  const { gate, minted } = await gateWorld()
  const all = await Promise.all([1, 2, 3].map((session) => connectTo(gate, minted, session)))
  expect(all.map(({ seen }) => seen.closed)).toEqual([true, true, false])
})

it('holds packets back that come behind a birth, and confirms in their order', async () => {
  const { gate, minted } = await gateWorld()
  const { seen, connection } = await connectTo(gate, minted, 1)
  connection.subscribe({ topic: downTopic(minted.serial), qos: 1 })
  const stored = [birthOf(1), ACK].map((body, index) =>
    connection.publish(upPacket(minted, 1, index + 1, body)),
  )
  expect(await Promise.all(stored)).toEqual([true, true])
  await settle()
  const pubacks = seen.packets.filter(({ cmd }) => cmd === 'puback')
  expect(pubacks.map(({ messageId }) => messageId)).toEqual([1, 2])
})

it('says of each connection and its end where it is from, and of a breach what it was, in one line', async () => {
  const { gate, minted, said } = await gateWorld()
  const { connection } = await connectTo(gate, minted, 1)
  const breach = { ...upPacket(minted, 1, 1, birthOf(1)), topic: 'hello' }
  await Promise.all([connection.publish(breach), connection.publish(breach)])
  const who = { serial: 'SB-0001', sid: sidOf(1), address: '127.0.0.1' }
  expect(said()).toMatchObject([
    { ...who, msg: 'device connected' },
    { ...who, level: 'warn', msg: 'connection closed', why: 'publish: not its own up topic' },
    { ...who, msg: 'device disconnected' },
  ])
  for (const line of said()) expect(line).not.toHaveProperty('err')
})

it('says where a CONNECT came from that is refused, and no more than the beginning of its client id', async () => {
  const { gate, minted, said } = await gateWorld()
  await gate.connect({ ...connectPacket(minted, sidOf(1)), clientId: 'x'.repeat(2_000) }, silentWire())
  const refusal = { address: '127.0.0.1', client: 'x'.repeat(64), why: 'the client id is no serial' }
  expect(said()).toMatchObject([{ ...refusal, level: 'warn', msg: 'connect refused' }])
})

it('closes a connection on which births do not end, and takes one a second', async () => {
  const { gate, clock, minted } = await gateWorld()
  const { seen, connection } = await connectTo(gate, minted, 1)
  connection.subscribe({ topic: downTopic(minted.serial), qos: 1 })
  const born = (messageId: number) => connection.publish(upPacket(minted, 1, messageId, birthOf(1)))
  for (let messageId = 1; messageId <= 10; messageId += 1) expect(await born(messageId)).toBe(true)
  await clock.wind(1_000)
  expect([await born(11), seen.closed]).toEqual([true, false])
  expect([await born(12), seen.closed]).toEqual([false, true])
})

it('sb/1 8.2: a device that is silent for two and a half keepalives is not connected, whatever the clock is set to', async () => {
  const { gate, delivery, clock, minted } = await gateWorld()
  const { connection } = await connectTo(gate, minted, 1)
  connection.subscribe({ topic: downTopic(minted.serial), qos: 1 })
  await connection.publish(upPacket(minted, 1, 1, birthOf(1)))
  clock.set(-3_600_000)
  await clock.wind(75_000)
  expect(delivery.isConnected(minted.serial)).toBe(true)
  await clock.wind(1)
  expect(delivery.isConnected(minted.serial)).toBe(false)
  clock.set(7_200_000)
  connection.ping()
  expect(delivery.isConnected(minted.serial)).toBe(true)
  connection.closed()
  expect(delivery.isConnected(minted.serial)).toBe(false)
})

it('hands its devices over: those with nothing under way first, and answers 3 to new ones', async () => {
  const { storage, clock, gate, delivery, minted } = await gateWorld()
  const other = await mintDevice(
    { by: OPERATOR, ...storage, loginHash: sb1.loginHash, clock, ids: createRandomIds() },
    'SB-0002',
  )
  if (!other) throw new Error('the serial is taken')
  // It was not born: its birth may be under way.
  const busy = await connectTo(gate, minted, 1)
  const idle = await connectTo(gate, other, 1)
  idle.connection.subscribe({ topic: downTopic(other.serial), qos: 1 })
  await idle.connection.publish(upPacket(other, 1, 1, birthOf(1)))
  await settle()
  // Its welcome and its screen.
  for (let messageId = 2; messageId <= 3; messageId += 1) {
    await settle()
    const last = idle.seen.packets.findLast(({ cmd }) => cmd === 'publish')
    if (last?.cmd !== 'publish') throw new Error('no command')
    const opened = openFrame(keysOf(other).down, downPrefix(other.serial, sidOf(1)), last.payload)
    if (!opened.ok) throw new Error('no frame')
    const { id, n } = Object(opened.body)
    const ack = { ...ACK, id, n }
    expect(await idle.connection.publish(upPacket(other, 1, messageId, ack))).toBe(true)
  }

  let isOver = false
  void gate.handOver(30_000, clock).then(() => {
    isOver = true
  })
  expect([busy.seen.closed, idle.seen.closed]).toEqual([false, true])
  expect(await gate.connect(connectPacket(other, sidOf(2)), silentWire())).toMatchObject({ returnCode: 3 })
  await clock.wind(14_900)
  expect([busy.seen.closed, isOver]).toEqual([false, false])
  await clock.wind(200)
  expect([busy.seen.closed, isOver]).toEqual([true, true])
  expect(delivery.connectedSerials()).toEqual([])
})

it('takes nothing in before the clock can be relied on', async () => {
  const asked = Promise.withResolvers<void>()
  const { minted, gate, storage, clock } = await gateWorld()
  Object.assign(clock, { fresh: () => asked.promise })
  const begin = vi.spyOn(storage.outbox, 'begin')
  const answered = connectTo(gate, minted, 1)
  await settle()
  Object.assign(clock, { fresh: () => undefined })
  asked.resolve()
  const { connection } = await answered
  connection.subscribe({ topic: downTopic(minted.serial), qos: 1 })
  const thawed = Promise.withResolvers<void>()
  Object.assign(clock, { fresh: () => thawed.promise })
  const taken = connection.publish(upPacket(minted, 1, 1, birthOf(1)))
  await settle()
  expect(begin).not.toHaveBeenCalled()
  clock.set(600_000)
  thawed.resolve()
  expect(await taken).toBe(true)
  expect(begin).toHaveBeenCalledWith(expect.anything(), clock.now(), expect.anything())
})
