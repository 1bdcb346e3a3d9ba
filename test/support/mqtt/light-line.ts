import type { Socket } from 'node:net'
import mqttPacket, { type Packet } from 'mqtt-packet'
import { type DeviceKeys, passwordOf } from '../../../protocol/keys.ts'
import { downTopic, UP_QOS, type UpKind, upTopic } from '../../../protocol/topics.ts'
import { connectPacketOf } from './connect-packet.ts'

/** MQTT 3.1.1, 2.3.1. */
const PACKET_IDS = 65_535

export interface LineOptions {
  /** Of TCP or TLS, that is still connecting. */
  socket: Socket
  serial: string
  keys: DeviceKeys
  keepaliveS: number
  sid: string
  /** The pause between two pings. Without it the line sends none. */
  pingEveryMs?: number
  /** The SUBACK is here. */
  opened(): void
  /** What it publishes at once leaves in one segment with the PUBACK. */
  message(payload: Buffer): void
  /** The PUBACK of a message is here; `tag` is what was given with it. */
  stored?(tag: string): void
  /** Once, however it ends; the code of a CONNACK that was a refusal. */
  ended?(refusedBy: number | undefined): void
}

/** One MQTT session on a bare socket: a client library would cost ten times as much, and there are thousands. */
export interface Line {
  send(packet: Packet): void
  publish(kind: UpKind, payload: Buffer, tag?: string): void
  /** Stops reading and pinging, as a device does that hangs; the connection stands. */
  freeze(): void
  thaw(): void
  close(): void
}

export function openLine(options: LineOptions): Line {
  const { serial, keys, socket, keepaliveS, sid, pingEveryMs } = options
  const parser = mqttPacket.parser({ protocolVersion: 4 })
  const waiting = new Map<number, string>()
  let nextId = 1
  let pinging: NodeJS.Timeout | undefined
  let isAnswered = true
  let refusedBy: number | undefined

  /** Packets that leave in one write. Undefined: each has its own. */
  let batch: Buffer[] | undefined

  const write = (bytes: Buffer) => {
    if (!socket.destroyed) socket.write(bytes)
  }
  const send = (packet: Packet) => {
    const bytes = mqttPacket.generate(packet)
    if (batch) batch.push(bytes)
    else write(bytes)
  }
  const takeId = () => {
    nextId = (nextId % PACKET_IDS) + 1
    return nextId
  }
  const ping = () => {
    clearInterval(pinging)
    isAnswered = true
    if (pingEveryMs === undefined) return
    pinging = setInterval(() => {
      // The hub has forgotten the connection (sb/1 1.8).
      if (!isAnswered) return void socket.destroy()
      isAnswered = false
      send({ cmd: 'pingreq' })
    }, pingEveryMs)
  }

  socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () =>
    send(connectPacketOf(serial, passwordOf(keys), { sid, keepalive: keepaliveS })),
  )
  parser.on('packet', (packet) => {
    switch (packet.cmd) {
      case 'connack':
        refusedBy = packet.returnCode === 0 ? undefined : packet.returnCode
        if (packet.returnCode !== 0) return
        ping()
        return send({
          cmd: 'subscribe',
          messageId: takeId(),
          subscriptions: [{ topic: downTopic(serial), qos: 1 }],
        })
      case 'suback':
        return options.opened()
      case 'publish':
        batch = [mqttPacket.generate({ cmd: 'puback', messageId: packet.messageId ?? 0 })]
        options.message(Buffer.from(packet.payload))
        write(Buffer.concat(batch))
        batch = undefined
        return
      case 'pingresp':
        isAnswered = true
        return
      case 'puback':
        return takeStored(packet.messageId ?? 0)
      default:
    }
  })
  socket.on('data', (bytes) => void parser.parse(bytes))
  // Told by 'close', which always follows.
  socket.on('error', () => undefined)
  parser.on('error', () => void socket.destroy())
  socket.on('close', () => {
    clearInterval(pinging)
    options.ended?.(refusedBy)
  })

  function takeStored(messageId: number) {
    const tag = waiting.get(messageId)
    waiting.delete(messageId)
    if (tag !== undefined) options.stored?.(tag)
  }

  return {
    send,
    publish(kind, payload, tag) {
      const messageId = takeId()
      if (tag !== undefined) waiting.set(messageId, tag)
      const topic = upTopic(serial, kind)
      send({ cmd: 'publish', topic, payload, qos: UP_QOS[kind], messageId, dup: false, retain: false })
    },
    freeze() {
      clearInterval(pinging)
      socket.pause()
    },
    thaw() {
      ping()
      socket.resume()
    },
    close: () => void socket.destroy(),
  }
}
