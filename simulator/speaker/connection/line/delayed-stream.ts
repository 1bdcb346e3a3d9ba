import { Duplex } from 'node:stream'
import type { Clock } from '../../../platform/clock.ts'

export interface DelayOptions {
  clock: Clock
  /** The delay of the next bytes in milliseconds; read for each chunk, so that a link can become slow and recover. */
  delayMs: () => number
}

/**
 * A stream that delays bytes in both directions and keeps their order, as a modem at the edge of its cell does. The
 * stream below stays connected, so neither end drops the link. Without a delay it passes bytes on at once.
 */
export class DelayedStream extends Duplex {
  readonly #line: Duplex
  readonly #in: Direction
  readonly #out: Direction

  constructor(line: Duplex, delay: DelayOptions) {
    super()
    this.#line = line
    this.#in = new Direction(delay)
    this.#out = new Direction(delay)
    line.on('data', (chunk: Buffer) => this.#in.pass(() => this.push(chunk) || line.pause()))
    line.on('end', () => this.#in.pass(() => this.push(null)))
    line.on('error', (error) => this.destroy(error))
    line.on('close', () => this.#in.pass(() => this.destroy()))
  }

  override _read(): void {
    this.#line.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#out.pass(() => this.#line.write(chunk))
    done()
  }

  /** MQTT.js writes a packet in parts; they share one delay. */
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', done)
  }

  override _final(done: () => void): void {
    this.#out.pass(() => this.#line.end(done))
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#in.close()
    this.#out.close()
    this.#line.destroy()
    done(error)
  }
}

/** One direction: runs actions late and in order. */
class Direction {
  readonly #delay: DelayOptions
  readonly #waiting: { act: () => void; cancel: () => void }[] = []
  #lastDueMs = 0
  #closed = false

  constructor(delay: DelayOptions) {
    this.#delay = delay
  }

  pass(act: () => void): void {
    if (this.#closed) return
    const { clock, delayMs } = this.#delay
    const dueMs = Math.max(this.#lastDueMs, clock.now() + delayMs())
    if (this.#waiting.length === 0 && dueMs <= clock.now()) {
      act()
      return
    }
    this.#lastDueMs = dueMs
    // Timers that are due together may fire in any order; each takes the oldest action.
    this.#waiting.push({ act, cancel: clock.wakeAt(dueMs, () => this.#waiting.shift()?.act()) })
  }

  close(): void {
    this.#closed = true
    for (const { cancel } of this.#waiting.splice(0)) cancel()
  }
}
