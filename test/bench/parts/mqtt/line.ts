import { connect } from 'node:net'
import mqttPacket, { type IConnectPacket } from 'mqtt-packet'
import { type PacketReader, readPackets } from './packets.ts'

const READ_AT_ONCE = 2 * 1024

/** A minimal MQTT client, so that the benchmark measures the broker. */
export interface Line {
  /** Sends complete packets in one write. */
  send(packets: Buffer): void
  close(): void
}

/** Receives a subscriber's packets. The bytes are valid only until the call returns. */
export type Hearing = Partial<Pick<PacketReader, 'publish' | 'puback'>>

/** Connects, subscribes and resolves at the SUBACK. Rejects if the broker refuses. Later packets go to the listener. */
export async function openLine(
  url: string,
  packet: IConnectPacket,
  topic: string | undefined,
  hearing: Hearing,
): Promise<Line> {
  const { hostname, port } = new URL(url)
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>()
  let begun: Buffer = Buffer.alloc(0)

  const reader: PacketReader = {
    connack(returnCode) {
      if (returnCode !== 0) reject(new Error(`${packet.clientId}: CONNACK ${returnCode}`))
      else if (topic === undefined) resolve()
      else
        socket.write(
          mqttPacket.generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] }),
        )
    },
    suback: resolve,
    publish: (messageId, payload) => hearing.publish?.(messageId, payload),
    puback: (messageId) => hearing.puback?.(messageId),
  }
  const callback = (length: number, read: Uint8Array): boolean => {
    const piece = Buffer.from(read.buffer, read.byteOffset, length)
    const bytes = begun.length === 0 ? piece : Buffer.concat([begun, piece])
    const taken = readPackets(bytes, reader)
    // The buffer is reused, so the rest must be copied.
    if (taken < bytes.length || begun.length > 0) begun = Buffer.from(bytes.subarray(taken))
    return true
  }

  const onread = { buffer: Buffer.alloc(READ_AT_ONCE), callback }
  const socket = connect({ port: Number(port), host: hostname, noDelay: true, onread })
  socket.on('connect', () => socket.write(mqttPacket.generate(packet)))
  socket.on('error', reject)
  socket.on('close', () => reject(new Error(`${packet.clientId}: the connection was closed`)))
  await opened
  return {
    send: (packets) => void socket.write(packets),
    close: () => void socket.destroy(),
  }
}

/** A CONNECT without username and password. */
export function plainConnect(clientId: string): IConnectPacket {
  return { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 120, clientId }
}
