import { createServer, type Socket } from 'node:net'
import { Aedes, type Client } from 'aedes'
import { onTestFinished } from 'vitest'
import { listening } from '../../support/listening.ts'

/** A broker that notes PUBACKs and what boxes publish. */
export async function serve() {
  const broker = await Aedes.createBroker()
  const clients: Client[] = []
  const published: { topic: string; payload: string }[] = []
  const confirmed: number[] = []
  broker.on('clientReady', (client) => void clients.push(client))
  broker.on('publish', ({ topic, payload }, client) => {
    if (client) published.push({ topic, payload: payload.toString() })
  })
  broker.on('ack', (packet) => void confirmed.push(Object(packet).messageId))
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    broker.handle(socket)
  })
  onTestFinished(() => {
    broker.close()
    for (const socket of sockets) socket.destroy()
  })
  const url = `mqtt://${await listening(server)}`
  const say = (topic: string, body: unknown, qos: 0 | 1 = 1) =>
    new Promise<void>((resolve, reject) => {
      const payload = JSON.stringify(body)
      broker.publish({ cmd: 'publish', topic, payload, qos, retain: false, dup: false }, (error) =>
        error ? reject(error) : resolve(),
      )
    })
  return { url, clients, published, confirmed, sockets, say }
}
