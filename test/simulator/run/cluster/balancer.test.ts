import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import mqttPacket from 'mqtt-packet'
import { expect, it, onTestFinished } from 'vitest'
import { openBalancer } from '../../../../simulator/run/cluster/parts/balancer.ts'
import { listenOnFreePort } from '../../../support/listen.ts'
import { eventually, until } from '../../../support/wait.ts'

/** A hub that takes connections, and answers its checks as the test says. */
async function standInHub() {
  const hub = { isWell: true, isReady: true, sockets: new Set<Socket>(), http: '', mqtt: '' }
  const http = createHttpServer(({ url }, response) => {
    response.writeHead((url === '/readyz' ? hub.isReady : hub.isWell) ? 200 : 503).end()
  })
  const mqtt = createServer((socket) => {
    hub.sockets.add(socket.on('error', () => undefined).on('close', () => hub.sockets.delete(socket)))
    socket.resume()
  })
  onTestFinished(() => {
    http.close()
    mqtt.close()
    for (const socket of hub.sockets) socket.destroy()
  })
  hub.http = `http://127.0.0.1:${await listenOnFreePort(http)}`
  hub.mqtt = `mqtt://127.0.0.1:${await listenOnFreePort(mqtt)}`
  return hub
}

async function balanced() {
  const hubs = await Promise.all([standInHub(), standInHub()])
  const balancer = await openBalancer(hubs)
  onTestFinished(() => balancer.close())
  return { hubs, balancer }
}

it('knows the hub of a speaker by its client id, and cuts its connection when the hub is down', async () => {
  const { hubs, balancer } = await balanced()
  const speaker = connect(Number(new URL(balancer.url).port), '127.0.0.1')
  const closed = once(speaker, 'close')
  const packet = mqttPacket.generate({ cmd: 'connect', clientId: 'SB-0001', keepalive: 30, clean: true })
  // The packet may come in parts.
  speaker.write(packet.subarray(0, 5))
  await until('a connection', () => hubs.some(({ sockets }) => sockets.size === 1))
  expect(balancer.hubOf('SB-0001')).toBeUndefined()
  speaker.write(packet.subarray(5))
  const place = await until('its hub', () => {
    const hub = balancer.hubOf('SB-0001')
    return hub === undefined ? undefined : { hub }
  })
  const hub = hubs[place.hub]
  if (!hub) throw new Error('there is no such hub')
  expect(hub.sockets.size).toBe(1)
  hub.isWell = false
  await closed
  expect(balancer.hubOf('SB-0001')).toBeUndefined()
  expect(balancer.up()).toBe(1)
})

it('sends partners to ready hubs in turn, and to any when none is ready', async () => {
  const { hubs, balancer } = await balanced()
  const addresses = new Set(hubs.map(({ http }) => http))
  const four = () => new Set(Array.from({ length: 4 }, () => balancer.nextHttp()))
  // A check that is late counts as one that failed, until the next one.
  await eventually(() => expect(four()).toEqual(addresses))
  const [first, second] = hubs
  first.isReady = false
  await until('the check', () => !balancer.isReady(0))
  await eventually(() => expect(four()).toEqual(new Set([second.http])))
  second.isReady = false
  await until('the check', () => !balancer.isReady(1))
  expect(four()).toEqual(addresses)
  await eventually(() => expect(balancer.up()).toBe(2))
})
