import { once } from 'node:events'
import { duplexPair } from 'node:stream'
import type { AedesOptions, Client } from 'aedes'
import mqttPacket, { type Packet } from 'mqtt-packet'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDirectAedes } from '../../../server/mqtt/direct-aedes.ts'
import { until } from '../../support/wait.ts'

const FLAGS = { qos: 1, dup: false, retain: false } as const
const TOPIC = 'a/topic'

async function openBroker(options: AedesOptions = {}) {
  const authorised: string[] = []
  const aedes = await createDirectAedes({
    ...options,
    authorizePublish(_client, packet, done) {
      authorised.push(`${packet.topic} ${packet.payload}`)
      done(null)
    },
  })
  onTestFinished(() => new Promise((resolve) => aedes.close(resolve)))
  return { aedes, authorised }
}

/** A client that has subscribed to the topic, as the broker and as its own side see it. */
async function openClient({ aedes }: Awaited<ReturnType<typeof openBroker>>, clientId: string) {
  const [near, far] = duplexPair()
  const received: Packet[] = []
  const parser = mqttPacket.parser({ protocolVersion: 4 })
  parser.on('packet', (packet) => received.push(packet))
  near.on('data', (bytes) => void parser.parse(bytes))
  const send = (packet: Packet) => void near.write(mqttPacket.generate(packet))
  const next = (cmd: Packet['cmd']) => until(cmd, () => received.find((packet) => packet.cmd === cmd))
  const there: Client = aedes.handle(far)
  const will = { topic: 'a/will', payload: Buffer.from(clientId), qos: 1, retain: false } as const
  send({
    ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 30, clientId, will },
  })
  await next('connack')
  send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: TOPIC, qos: 1 }] })
  await next('suback')
  return { there, near, received, send, next }
}

describe('Aedes without ways between its clients', () => {
  it('confirms what a client publishes once it is authorised, and brings it to nobody', async () => {
    const broker = await openBroker()
    const [one, other] = [await openClient(broker, 'one'), await openClient(broker, 'other')]
    one.send({ cmd: 'publish', ...FLAGS, messageId: 2, topic: TOPIC, payload: 'hear me' })
    await one.next('puback')
    other.send({ cmd: 'pingreq' })
    await other.next('pingresp')
    expect(broker.authorised).toEqual([`${TOPIC} hear me`])
    expect([...one.received, ...other.received].map(({ cmd }) => cmd)).not.toContain('publish')
  })

  it('brings what is published to a client to that one', async () => {
    const broker = await openBroker()
    const [one, other] = [await openClient(broker, 'one'), await openClient(broker, 'other')]
    const packet = { cmd: 'publish', ...FLAGS, topic: TOPIC, payload: 'to you' } as const
    await new Promise((resolve) => one.there.publish(packet, resolve))
    expect(await one.next('publish')).toMatchObject({ topic: TOPIC, payload: Buffer.from('to you'), qos: 1 })
    expect(other.received.map(({ cmd }) => cmd)).not.toContain('publish')
  })

  it('confirms that a client listens no longer', async () => {
    const { send, next } = await openClient(await openBroker(), 'one')
    send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: [TOPIC] })
    expect(await next('unsuback')).toMatchObject({ messageId: 2 })
  })

  it('has the will of a client that is lost authorised, and no other', async () => {
    const broker = await openBroker()
    const [one] = [await openClient(broker, 'one'), await openClient(broker, 'other')]
    one.near.destroy()
    await until('the will', () => broker.authorised[0])
    expect(broker.authorised).toEqual(['a/will one'])
  })

  it('keeps no wills: without its heartbeat, it would take those of its clients for those of a dead broker', async () => {
    const { aedes, authorised } = await openBroker({ heartbeatInterval: 1 })
    // Its types leave this field out.
    const { persistence } = aedes as unknown as { persistence: { streamWill(): unknown } }
    const wills = vi.spyOn(persistence, 'streamWill')
    onTestFinished(() => wills.mockRestore())
    const { send, next } = await openClient({ aedes, authorised }, 'one')
    await until('it looks for wills', () => wills.mock.calls.length > 1)
    send({ cmd: 'pingreq' })
    await next('pingresp')
    expect(authorised).toEqual([])
  })

  it('answers a PUBREL, of which it knows no packet (MQTT 3.1.1, 4.3.3-2)', async () => {
    const { send, next } = await openClient(await openBroker(), 'one')
    send({ cmd: 'pubrel', messageId: 7 })
    expect(await next('pubcomp')).toMatchObject({ messageId: 7 })
  })

  it('tells that a client has gone only after whoever closes it is done', async () => {
    const { aedes, ...broker } = await openBroker()
    const { there } = await openClient({ aedes, ...broker }, 'one')
    const gone = once(aedes, 'clientDisconnect')
    let isDone = false
    aedes.on('clientDisconnect', () => expect(isDone).toBe(true))
    there.close()
    isDone = true
    expect((await gone)[0]).toBe(there)
  })
})
