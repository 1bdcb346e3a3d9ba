import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Packet } from 'mqtt-packet'
import { readPacket, writePacket } from '../../../../protocol/conformance/wire/packet.ts'
import { PacketSplitter } from '../../../../protocol/conformance/wire/split.ts'

/** What becomes of a packet on its way: itself, another one, several, or none. */
export type Bend = (packet: Packet, connection: Connection) => readonly (Packet | Buffer)[]

export interface Connection {
  /** Sends a packet to the device that nobody has sent. */
  toDevice(packet: Packet): void
  /** The device hangs up. */
  cut(): void
}

export interface Bends {
  /** From the device. */
  up?: Bend
  /** To the device. */
  down?: Bend
  /** The device loses what does not come in one piece. */
  forgetsPieces?: boolean
  /** The device does not hear of the end of a line on which no SUBACK has come. */
  hangsBeforeSuback?: boolean
  /** So many connections lead to the kit; later ones lead nowhere. */
  connections?: number
}

/** A line between device and kit that changes what passes: a device with another MQTT stack, seen from the kit. */
export async function bentLine(
  url: string,
  bends: () => Bends,
): Promise<{ url: string; close(): Promise<void> }> {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  let count = 0
  const server = createServer({ noDelay: true }, (device) => {
    const { up, down, forgetsPieces = false, hangsBeforeSuback = false, connections } = bends()
    open.add(device)
    count += 1
    if (connections !== undefined && count > connections) return
    const kit = connect({ host: hostname, port: Number(port), noDelay: true })
    let subscribed = false
    const connection = {
      toDevice: (packet: Packet) => void device.write(writePacket(packet)),
      cut: () => void device.destroy(),
    }
    carry(device, kit, { bend: (packet) => up?.(packet, connection) })
    carry(kit, device, {
      forgetsPieces,
      bend: (packet) => {
        if (packet.cmd === 'suback') subscribed = true
        return down?.(packet, connection)
      },
      hears: () => subscribed || !hangsBeforeSuback,
    })
    for (const socket of [device, kit]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const own = typeof address === 'object' && address ? address.port : 0
  return {
    url: `mqtt://127.0.0.1:${own}`,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Carriage {
  bend: (packet: Packet) => readonly (Packet | Buffer)[] | undefined
  forgetsPieces?: boolean
  /** Whether the other side is told of the end. */
  hears?: () => boolean
}

function carry(
  from: Socket,
  to: Socket,
  { bend, forgetsPieces = false, hears = () => true }: Carriage,
): void {
  let splitter = new PacketSplitter()
  from.on('data', (chunk) => {
    if (forgetsPieces) splitter = new PacketSplitter()
    for (const bytes of splitter.push(chunk).packets) {
      const read = readPacket(bytes)
      const bent = read.ok ? bend(read.packet) : undefined
      const parts = bent?.map((one) => (Buffer.isBuffer(one) ? one : writePacket(one))) ?? [bytes]
      to.write(Buffer.concat(parts))
    }
  })
  from.on('error', () => undefined)
  // A line that ends in order ends in order on the other side too, behind what is still on its way.
  from.on('end', () => hears() && to.end())
  from.on('close', () => hears() && setImmediate(() => to.destroy()))
}
