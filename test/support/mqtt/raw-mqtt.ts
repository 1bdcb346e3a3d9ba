import { connect, type Socket } from 'node:net'
import mqttPacket, { type IConnectPacket, type Packet } from 'mqtt-packet'
import { onTestFinished } from 'vitest'
import { passwordOf } from '../../../protocol/keys.ts'
import { until } from '../wait.ts'
import { connectPacketOf } from './connect-packet.ts'
import { keysOf, type Minted } from './mqtt-device.ts'

/** A TCP connection to the broker, for bytes that no client library sends. */
export interface RawMqtt {
  socket: Socket
  /** Packets that the broker sent. */
  received: Packet[]
  closed: boolean
  write(bytes: Uint8Array): void
  send(packet: Packet): void
  /** Resolves with the first packet of that kind. */
  next(cmd: Packet['cmd']): Promise<Packet>
  untilClosed(): Promise<true>
}

export async function openRaw(url: string): Promise<RawMqtt> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve))
  const received: Packet[] = []
  const parser = mqttPacket.parser({ protocolVersion: 4 })
  parser.on('packet', (packet) => received.push(packet))
  socket.on('data', (bytes) => void parser.parse(bytes))
  const raw: RawMqtt = {
    socket,
    received,
    closed: false,
    write: (bytes) => void socket.write(bytes),
    send: (packet) => void socket.write(mqttPacket.generate(packet)),
    next: (cmd) => until(`a packet ${cmd}`, () => received.find((packet) => packet.cmd === cmd)),
    untilClosed: () => until('the end of the connection', () => raw.closed || undefined),
  }
  socket.on('error', () => undefined)
  socket.on('close', () => {
    raw.closed = true
  })
  return raw
}

/** A CONNECT packet that follows sb/1. */
export function connectPacket(device: Minted, sid: string): IConnectPacket {
  return connectPacketOf(device.serial, passwordOf(keysOf(device)), { sid, keepalive: 30 })
}
