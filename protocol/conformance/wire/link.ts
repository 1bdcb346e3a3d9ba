import type { Socket } from 'node:net'
import type { Packet } from 'mqtt-packet'
import { type Clock, pause } from './clock.ts'
import { writePacket } from './packet.ts'
import { PacketSplitter } from './split.ts'

export interface LinkListener {
  /** A whole packet has come. */
  packet(bytes: Buffer): void
  /** What came can't be cut into packets; the link is closed. */
  broken(reason: string): void
  closed(by: 'device' | 'kit'): void
}

/** Bytes a piece when a packet is sent bit by bit, and the pause between two pieces. */
const PIECE_BYTES = 7
const PIECE_PAUSE_MS = 4
/** The fixed header and the first bytes of the topic go one by one: that is where readers break. */
const SINGLE_BYTES = 5

/** One connection of the device, down to its bytes. */
export class Link {
  /** Counts the connections of a run from 1. */
  readonly number: number
  /** Half-open: the device can't tell it from a dead line. Nothing is read or answered any more. */
  silent = false
  readonly #socket: Socket
  readonly #clock: Clock
  #cutByKit = false
  #closed = false
  #held: Buffer[] = []

  constructor(number: number, socket: Socket, clock: Clock) {
    this.number = number
    this.#socket = socket
    this.#clock = clock
  }

  get isOpen(): boolean {
    return !this.#closed && !this.#cutByKit
  }

  listen(listener: LinkListener): void {
    const splitter = new PacketSplitter()
    this.#socket.setNoDelay(true)
    this.#socket.on('data', (chunk) => {
      if (this.silent || this.#closed) return
      const { packets, broken } = splitter.push(chunk)
      for (const bytes of packets) listener.packet(bytes)
      if (broken === undefined) return
      listener.broken(broken)
      this.cut()
    })
    // What an error means is told by the close that follows it.
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => {
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

  /** Sends bytes, behind those that were held. */
  write(bytes: Buffer): void {
    if (this.silent || this.#closed) return
    const all = Buffer.concat([...this.#held, bytes])
    this.#held = []
    this.#socket.write(all)
  }

  /** Keeps bytes back until the next write, so that both travel in one segment. */
  hold(bytes: Buffer): void {
    this.#held.push(bytes)
  }

  /** Sends bytes in small pieces with pauses in between, as a bad line brings them. */
  async dribble(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const to = from < SINGLE_BYTES ? from + 1 : from + PIECE_BYTES
      this.write(bytes.subarray(from, to))
      from = to
      await pause(this.#clock, PIECE_PAUSE_MS)
    }
  }

  /** Sends the first bytes only, then breaks the line. */
  writeAndCut(bytes: Buffer): void {
    if (this.#closed) return
    this.#cutByKit = true
    this.#socket.write(bytes, () => this.#socket.destroy())
  }

  /** Closes the line once everything is written. */
  end(): void {
    this.#cutByKit = true
    this.#socket.end()
  }

  /** Breaks the line without a word. */
  cut(): void {
    this.#cutByKit = true
    this.#socket.destroy()
  }
}
