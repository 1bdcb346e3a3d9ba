import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as secure } from 'node:tls'
import mqttPacket, { type Packet } from 'mqtt-packet'
import { expect, it, onTestFinished } from 'vitest'
import { BOX_KINDS } from '../../../../simulator/boxes/kinds.ts'
import { PASSWORD } from '../../../server/boxes/mint.ts'
import { startTestHub } from '../../../support/hub.ts'
import { makeCertificate } from '../../../support/processes/certificate.ts'
import { findProgram } from '../../../support/processes/program.ts'
import { eventually, until } from '../../../support/wait.ts'
import { openBoxHub } from './open-hub.ts'

const hasOpenSsl = findProgram('openssl') !== undefined

it('a hub without HUB_BOX_PORT has no listener for boxes', async () => {
  const hub = await startTestHub()
  expect([hub.box, hub.boxTls]).toEqual([undefined, undefined])
})

it.each(BOX_KINDS)('%s says on a real connection what was paid', async (kind) => {
  const { start, pay, untilStage } = await openBoxHub()
  const { of, serial } = await start(kind)
  const ftCode = await pay(serial)
  await until('the sound', () => of('announce').length > 0)
  expect(of('announce')).toMatchObject([{ n: 1, amount: '50000', lang: 'vi' }])
  const trail = await untilStage(ftCode, kind === 'alink' ? 'played' : 'delivered')
  const proof = { hemipay: 'accepted', alink: 'played' }[String(kind)] ?? 'none'
  expect(trail).toMatchObject({ proof })
})

it.each([
  ['hemipay', undefined],
  ['clip-numbers', true],
  ['alink', undefined],
] as const)(
  '%s on a line that stalls is reset after 10 s, and says it once when it is back',
  async (kind, mayRepeat) => {
    const { start, ready, pay, untilStage, trail, clock } = await openBoxHub()
    const { box, of, serial } = await start(kind)
    // What the profile's screen needs is confirmed.
    await pay(serial, '1000')
    await until('the first sound', () => of('played').length === 1)
    await clock.wind(20_000)
    box.setFault('stalls', true)
    const ftCode = await pay(serial)
    await untilStage(ftCode, 'sent')
    await clock.wind(10_000)
    expect(of('announce')).toHaveLength(1)
    box.setFault('stalls', false)
    await until('the end of the line', () => of('disconnected').length === 1)
    await ready(() => of('connected').length, 2)
    await until('the sound', () => of('announce').length > 1)
    expect(of('announce').map(({ amount }) => amount)).toEqual(['1000', '50000'])
    const ended = await untilStage(ftCode, kind === 'alink' ? 'played' : 'delivered')
    expect(ended).toMatchObject(mayRepeat ? { mayRepeat } : {})
    await clock.wind(200_000)
    expect(of('announce')).toHaveLength(2)
    expect((await trail(ftCode))?.stage).toBe(kind === 'alink' ? 'played' : 'delivered')
  },
)

/** A box that confirms nothing, on a TCP connection of its own, and how that has ended. */
async function deafBox(serial: string, raw: Socket, stream: Socket, { keepalive = 60 } = {}) {
  onTestFinished(() => void raw.destroy())
  const seen = { received: [] as Packet[], ended: undefined as string | undefined }
  // Over TLS the stream above is told of the reset.
  for (const one of new Set([raw, stream]))
    one.on('error', (error) => {
      seen.ended ??= String(Object(error).code)
    })
  stream.on('close', () => {
    seen.ended ??= 'closed'
  })
  const parser = mqttPacket.parser({ protocolVersion: 4 })
  parser.on('packet', (packet) => seen.received.push(packet))
  stream.on('data', (bytes) => void parser.parse(bytes))
  const next = (cmd: Packet['cmd']) => until(cmd, () => seen.received.find((packet) => packet.cmd === cmd))
  const send = (packet: Packet) => void stream.write(mqttPacket.generate(packet))
  const password = Buffer.from(PASSWORD)
  send({
    ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive },
    ...{ clientId: serial, username: serial, password },
  })
  expect(await next('connack')).toMatchObject({ returnCode: 0 })
  send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'x', qos: 1 }] })
  await next('suback')
  return { seen, next }
}

function tcp(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname)
}

it('without a PUBACK for 10 s the connection ends with a reset', async () => {
  const { hub, add, clock, pay, untilStage } = await openBoxHub()
  const { serial } = await add('clip-numbers')
  const socket = tcp(hub.box ?? '')
  const { seen, next } = await deafBox(serial, socket, socket)
  await clock.wind(1_000)
  const ftCode = await pay(serial)
  await next('publish')
  await clock.wind(9_000)
  expect(seen.ended).toBeUndefined()
  await clock.wind(1_000)
  await eventually(() => expect(seen.ended).toBe('ECONNRESET'))
  await untilStage(ftCode, 'sent')
})

it.skipIf(!hasOpenSsl)('over TLS it is the TCP connection below that is reset', async () => {
  const files = makeCertificate()
  const { hub, add, clock, pay, start } = await openBoxHub({
    ...{
      HUB_MQTT_TLS_PORT: '0',
      HUB_BOX_TLS_PORT: '0',
      HUB_TLS_CERT: files.certFile,
      HUB_TLS_KEY: files.keyFile,
    },
  })
  const { serial } = await add('clip-numbers')
  const raw = tcp(hub.boxTls ?? '')
  const socket = secure({ socket: raw, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { seen, next } = await deafBox(serial, raw, socket)
  await clock.wind(1_000)
  await pay(serial)
  await next('publish')
  await clock.wind(10_000)
  await eventually(() => expect(seen.ended).toBe('ECONNRESET'))
  // The hub goes on.
  const other = await start('clip-numbers', 'BOX-2')
  await pay(other.serial)
  await until('the sound', () => other.of('announce').length === 1)
})

it('a box that is silent for its keepalive is reset: what it has not confirmed is discarded', async () => {
  const { hub, add, clock, pay } = await openBoxHub()
  const { serial } = await add('clip-numbers')
  const socket = tcp(hub.box ?? '')
  const { seen, next } = await deafBox(serial, socket, socket, { keepalive: 1 })
  await clock.wind(1_000)
  await pay(serial)
  await next('publish')
  await eventually(() => expect(seen.ended).toBe('ECONNRESET'))
})
