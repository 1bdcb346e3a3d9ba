import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { connect as secure } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import type { Broker } from '../../../../server/mqtt/aedes.ts'
import { createMqttTlsServer } from '../../../../server/mqtt/listeners.ts'
import { NO_PROXY, readNetworks } from '../../../../server/platform/net/address.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { startTestHub } from '../../../support/hub.ts'
import { listening } from '../../../support/listening.ts'
import { serveBroker } from '../../../support/mqtt/broker.ts'
import { bornDevice } from '../../../support/mqtt/mqtt-device.ts'
import { FROM_TCP4 } from '../../../support/mqtt/proxy-header.ts'
import { makeCertificate } from '../../../support/processes/certificate.ts'
import { findProgram } from '../../../support/processes/program.ts'
import { until } from '../../../support/wait.ts'

const hasOpenSsl = findProgram('openssl') !== undefined

it.skipIf(!hasOpenSsl)('sb/1 1.1: carries MQTT over TLS, where the plain port may be off', async () => {
  const files = makeCertificate()
  const hub = await startTestHub({
    env: {
      ...{ HUB_MQTT_PORT: 'off', HUB_MQTT_TLS_PORT: '0' },
      ...{ HUB_TLS_CERT: files.certFile, HUB_TLS_KEY: files.keyFile },
    },
  })
  expect(hub.mqtt).toBe('')
  const url = String(hub.mqtts)
  expect(url).toMatch(/^mqtts:/)
  const born = await bornDevice(url, await hub.device('SB-0001'), { rejectUnauthorized: false })
  expect(born.closed).toBe(false)
})

it.skipIf(!hasOpenSsl).for<[string, (socket: Socket) => Promise<unknown>]>([
  ['before a byte', async () => undefined],
  ['in the middle of its handshake', async (socket: Socket) => void socket.write(Buffer.of(0x16, 3, 1))],
  [
    'behind its handshake',
    (socket: Socket) => once(secure({ socket, rejectUnauthorized: false }), 'secureConnect'),
  ],
])('a connection without a CONNECT gives way %s', async ([, begin]) => {
  const files = makeCertificate()
  const { url, refused } = await serveBroker({
    places: { ofDevices: 2, others: 2, ofProxies: 2 },
    listen: (deps) => createMqttTlsServer(deps, files),
  })
  const { port } = new URL(url)
  let open = 0
  for (let more = 0; more < 5; more += 1) {
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    open += 1
    socket.on('close', () => {
      open -= 1
    })
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    await begin(socket)
  }
  await until('the end of what was too much', () => open === 2)
  expect(refused).toEqual(Array(3).fill('too_many_waiting'))
})

/** A listener that believes the proxies on this machine, and what it serves. */
async function proxied(files: { certFile: string; keyFile: string }) {
  const served = { addresses: [] as string[], heard: '', refused: [] as string[] }
  const broker: Broker = {
    admit: (_socket, address) => ({ address, loggedIn: () => undefined, reset: () => undefined }),
    awaitClient: () => () => undefined,
    serve(stream, { address }) {
      served.addresses.push(address)
      stream.on('error', () => undefined)
      stream.on('data', (bytes) => {
        served.heard += bytes
      })
    },
    refused: (_address, reason) => void served.refused.push(reason),
    close: async () => undefined,
  }
  const trustsProxy = readNetworks('127.0.0.1') ?? NO_PROXY
  const server = createMqttTlsServer({ broker, clock: createVirtualClock(), trustsProxy }, files)
  const [host, port] = (await listening(server)).split(':')
  const socket = connect(Number(port), host)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return { served, socket }
}

it.skipIf(!hasOpenSsl).for(['in one write with it', 'in a write of its own'])(
  "takes a proxy's header before the handshake, %s",
  async (how) => {
    const files = makeCertificate()
    const { served, socket } = await proxied(files)
    const [near, far] = duplexPair()
    const client = secure({ socket: near, rejectUnauthorized: false })
    onTestFinished(() => void client.destroy())
    const [hello]: Buffer[] = await once(far, 'data')
    if (how === 'in one write with it') socket.write(Buffer.concat([FROM_TCP4, hello ?? Buffer.alloc(0)]))
    else {
      socket.write(FROM_TCP4)
      await until('the header', () => served.addresses[0])
      socket.write(hello ?? Buffer.alloc(0))
    }
    far.pipe(socket)
    socket.pipe(far)
    client.write('CONNECT')
    await until('what was sent', () => served.heard === 'CONNECT')
    expect(served.addresses).toEqual(['203.0.113.7'])
  },
)

it.skipIf(!hasOpenSsl)('serves a trusted peer that sends no header', async () => {
  const files = makeCertificate()
  const { served, socket } = await proxied(files)
  const client = secure({ socket, rejectUnauthorized: false })
  client.write('CONNECT')
  await until('what was sent', () => served.heard === 'CONNECT')
  expect(served.addresses).toEqual(['127.0.0.1'])
})
