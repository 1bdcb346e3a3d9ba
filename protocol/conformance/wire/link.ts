import type { Duplex } from 'node:stream'
import type { Packet } from 'mqtt-packet'
import { type Clock, pause } from './clock.ts'
import { foreignProtocol } from './foreign.ts'
import { writePacket } from './packet.ts'
import { PacketSplitter } from './split.ts'

export interface LinkListener {
  /** Called with each complete packet. */
  packet(bytes: Buffer): void
  /** The bytes are not a valid MQTT stream. The link closes. `hint` names the protocol that they may be. */
  broken(reason: string, bytes: Buffer, hint?: string): void
  closed(by: 'device' | 'kit'): void
}

/** Bytes per piece, and the pause between two pieces. */
const PIECE_BYTES = 7
const PIECE_PAUSE_MS = 4
/** The first bytes, with the fixed header, travel one by one: parsers usually fail there. */
const SINGLE_BYTES = 5

const NO_BYTES = Buffer.alloc(0)

/** One TCP connection of the device. */
export class Link {
  /** Connections of a run are numbered from 1. */
  readonly number: number
  /** Half-open: the link neither reads nor answers, like a dead connection. */
  silent = false
  readonly #line: Duplex
  readonly #clock: Clock
  #cutByKit = false
  #closed = false
  #held: Buffer[] = []
  /** Packets behind one that travels in pieces. Undefined while none does. */
  #behind: Buffer[] | undefined

  constructor(number: number, line: Duplex, clock: Clock) {
    this.number = number
    this.#line = line
    this.#clock = clock
  }

  get isOpen(): boolean {
    return !this.#closed && !this.#cutByKit
  }

  listen(listener: LinkListener): void {
    const splitter = new PacketSplitter()
    let isFirst = true
    this.#line.on('data', (chunk: Buffer) => {
      if (this.silent || this.#closed) return
      const foreign = isFirst ? foreignProtocol(chunk) : undefined
      isFirst = false
      const { packets, broken } = foreign ? { packets: [], broken: 'no MQTT' } : splitter.push(chunk)
      for (const bytes of packets) listener.packet(bytes)
      if (broken === undefined) return
      listener.broken(broken, foreign ? chunk : NO_BYTES, foreign)
      this.cut()
    })
    // A 'close' event follows every error and handles it.
    this.#line.on('error', () => undefined)
    this.#line.on('close', () => {
      this.#closed = true
      listener.closed(this.#cutByKit ? 'kit' : 'device')
    })
  }

  /** Sends a packet; returns its bytes. */
  send(packet: Packet): Buffer {
    const bytes = writePacket(packet)
    this.write(bytes)
    return bytes
  }

  /** Sends the held bytes, then these. */
  write(bytes: Buffer): void {
    if (this.#behind) this.#behind.push(bytes)
    else this.#put(bytes)
  }

  /** Holds bytes until the next write, so that both travel in one segment. */
  hold(bytes: Buffer): void {
    this.#held.push(bytes)
  }

  /** Sends bytes in small pieces with pauses, as over a bad network. Other packets wait until the last piece is sent. */
  async writeInPieces(bytes: Buffer): Promise<void> {
    this.#behind = []
    for (let from = 0; from < bytes.length; ) {
      const to = from < SINGLE_BYTES ? from + 1 : from + PIECE_BYTES
      this.#put(bytes.subarray(from, to))
      from = to
      await pause(this.#clock, PIECE_PAUSE_MS)
    }
    const behind = Buffer.concat(this.#behind)
    this.#behind = undefined
    this.#put(behind)
  }

  /** Sends bytes, then breaks the connection. */
  writeAndCut(bytes: Buffer): void {
    if (this.#closed) return
    this.#cutByKit = true
    this.#line.write(bytes, () => this.#line.destroy())
  }

  /** Closes the connection after everything is written. */
  end(): void {
    this.#cutByKit = true
    this.#line.end()
  }

  /** Breaks the connection at once. */
  cut(): void {
    this.#cutByKit = true
    this.#line.destroy()
  }

  #put(bytes: Buffer): void {
    if (this.silent || this.#closed) return
    const all = Buffer.concat([...this.#held, bytes])
    this.#held = []
    this.#line.write(all)
  }
}
