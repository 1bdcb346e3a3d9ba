import type { Transcript } from '../wire/transcript.ts'

/** A device that is so slow fails; a longer trip was a machine that stood still. */
const LONGEST_MS = 5_000

/**
 * How long a command and its answer take over this network on this device: from the sending to the first ack, in all
 * sessions of the run so far.
 */
export class Trips {
  readonly #transcript: Transcript
  readonly #sentAtMs = new Map<unknown, number>()
  /** In rising order. */
  readonly #tripsMs: number[] = []
  /** How much of the transcript is read. */
  #read = 0

  constructor(transcript: Transcript) {
    this.#transcript = transcript
  }

  /** What three of four don't exceed. 0 before the first. */
  get usualMs(): number {
    this.#readOn()
    return this.#tripsMs[Math.floor(this.#tripsMs.length * 0.75)] ?? 0
  }

  get longestMs(): number {
    this.#readOn()
    return this.#tripsMs.at(-1) ?? 0
  }

  #readOn(): void {
    const { all } = this.#transcript
    for (const { kind, direction, has, says, atMs } of all.slice(this.#read)) {
      // What was under way is lost with the connection.
      if (kind === 'closed') this.#sentAtMs.clear()
      if (kind === 'command' && direction === 'down') this.#sentAtMs.set(says.id, atMs)
      const sentAtMs = kind === 'ack' ? this.#sentAtMs.get(has.command) : undefined
      if (sentAtMs === undefined) continue
      this.#sentAtMs.delete(has.command)
      this.#add(Math.min(atMs - sentAtMs, LONGEST_MS))
    }
    this.#read = all.length
  }

  #add(tripMs: number): void {
    const place = this.#tripsMs.findIndex((other) => other > tripMs)
    this.#tripsMs.splice(place < 0 ? this.#tripsMs.length : place, 0, tripMs)
  }
}
