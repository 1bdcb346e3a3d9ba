import { Duplex, type DuplexOptions } from 'node:stream'
import type { Packet } from 'mqtt-packet'
import { readPacket, writePacket } from '../../../../protocol/conformance/wire/packet.ts'
import { PacketSplitter } from '../../../../protocol/conformance/wire/split.ts'

/** Connects to the kit. */
export type Dial = () => Duplex

/**
 * The two ends of a line in memory. What one end writes arrives at the other in the next turn of the event loop, in the
 * same pieces: no network decides what travels together, and a loaded machine delays nothing.
 */
export function linePair(near?: DuplexOptions): [Duplex, Duplex] {
  const [one, other] = [new LineEnd(near), new LineEnd()]
  one.peer = other
  other.peer = one
  return [one, other]
}

class LineEnd extends Duplex {
  peer: LineEnd | undefined
  #isOver = false

  constructor(options: DuplexOptions = { allowHalfOpen: false }) {
    super(options)
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send(chunk)
    done()
  }

  override _final(done: () => void): void {
    this.#send(null)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#send(null)
    done(error)
  }

  #send(chunk: Buffer | null): void {
    const { peer } = this
    if (peer) setImmediate(() => peer.#receive(chunk))
  }

  #receive(chunk: Buffer | null): void {
    if (this.#isOver || this.destroyed) return
    this.#isOver = chunk === null
    this.push(chunk)
  }
}

/** What becomes of a packet on its way: itself, another one, several, or none. */
export type Bend = (packet: Packet, connection: Connection) => readonly (Packet | Buffer)[]

export interface Connection {
  /** Sends a packet to the device that nobody has sent. */
  toDevice(packet: Packet): void
  /** Sends a packet to the kit that the device has sent before. */
  toKit(packet: Packet): void
  /** The device hangs up. */
  cut(): void
}

export interface Bends {
  /** From the device. */
  up?: Bend
  /** To the device. */
  down?: Bend
  /** The device loses a packet that does not arrive in one piece. */
  forgetsPieces?: boolean
  /** The device reads one packet of each piece, and loses those behind it. */
  readsOneAPiece?: boolean
  /** The device does not notice that a line ends on which no SUBACK has come. */
  hangsBeforeSuback?: boolean
  /** So many connections lead to the kit; later ones lead nowhere. */
  connections?: number
}

/** A line between device and kit that changes packets: to the kit, a device with another MQTT stack. */
export function bentLine(dial: Dial, bends: () => Bends): Dial {
  let count = 0
  return () => {
    const { up, down, hangsBeforeSuback = false, connections, ...reading } = bends()
    const [device, near] = linePair()
    count += 1
    if (connections !== undefined && count > connections) return device
    const kit = dial()
    let subscribed = false
    const connection = {
      toDevice: (packet: Packet) => void near.write(writePacket(packet)),
      toKit: (packet: Packet) => void (kit.destroyed || kit.write(writePacket(packet))),
      cut: () => void near.destroy(),
    }
    carry(near, kit, { bend: (packet) => up?.(packet, connection) })
    carry(kit, near, {
      ...reading,
      bend: (packet) => {
        if (packet.cmd === 'suback') subscribed = true
        return down?.(packet, connection)
      },
      hears: () => subscribed || !hangsBeforeSuback,
    })
    return device
  }
}

interface Carriage extends Pick<Bends, 'forgetsPieces' | 'readsOneAPiece'> {
  bend: (packet: Packet) => readonly (Packet | Buffer)[] | undefined
  /** Whether the other side is told of the end. */
  hears?: () => boolean
}

function carry(from: Duplex, to: Duplex, carriage: Carriage): void {
  const { bend, forgetsPieces = false, readsOneAPiece = false, hears = () => true } = carriage
  let splitter = new PacketSplitter()
  from.on('data', (chunk) => {
    if (forgetsPieces) splitter = new PacketSplitter()
    const { packets } = splitter.push(chunk)
    for (const bytes of readsOneAPiece ? packets.slice(0, 1) : packets) {
      const read = readPacket(bytes)
      const bent = read.ok ? bend(read.packet) : undefined
      const parts = bent?.map((one) => (Buffer.isBuffer(one) ? one : writePacket(one))) ?? [bytes]
      if (!to.destroyed) to.write(Buffer.concat(parts))
    }
  })
  from.on('error', () => undefined)
  // A line that ends in order ends in order on the other side too, behind what is still on its way.
  from.on('end', () => hears() && to.end())
  from.on('close', () => hears() && setImmediate(() => to.destroy()))
}
