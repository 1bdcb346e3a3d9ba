import { Duplex } from 'node:stream'

/**
 * A stream that stalls as a dead radio link does: nothing passes and nothing ends. Bytes wait for the end of the stall, as
 * TCP sends them again. When the other end resets the connection meanwhile, the waiting bytes are lost.
 */
export class StallingStream extends Duplex {
  readonly #line: Duplex
  #stalled = false
  #inward: Buffer[] = []
  #outward: Buffer[] = []
  /** Whether the other end has ended the connection during the stall. */
  #lost = false

  constructor(line: Duplex, stalled: boolean) {
    super()
    this.#line = line
    this.#stalled = stalled
    line.on('data', (chunk: Buffer) => {
      if (this.#stalled) this.#inward.push(chunk)
      else this.push(chunk)
    })
    line.on('end', () => this.#end(() => this.push(null)))
    line.on('error', (error) => this.#end(() => this.destroy(error)))
    line.on('close', () => this.#end(() => this.destroy()))
  }

  stall(on: boolean): void {
    this.#stalled = on
    if (on) return
    if (this.#lost) this.destroy()
    for (const chunk of this.#outward.splice(0)) this.#line.write(chunk)
    for (const chunk of this.#inward.splice(0)) this.push(chunk)
  }

  override _read(): void {
    this.#line.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#stalled) this.#outward.push(chunk)
    else this.#line.write(chunk)
    done()
  }

  override _final(done: () => void): void {
    this.#line.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#line.destroy()
    done(error)
  }

  #end(act: () => void) {
    if (!this.#stalled) return act()
    this.#lost = true
    this.#inward = []
  }
}
