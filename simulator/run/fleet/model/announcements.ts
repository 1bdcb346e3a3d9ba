import type { FeedItem } from '../../../speaker/feed.ts'

/** A sentence that has started. Times are milliseconds on the fleet's clock. */
export interface Sentence {
  amount: string
  startedAtMs: number
  /** When its announcement came over the line first. */
  arrivedAtMs: number
  /** How long it then waited for the end of another sentence of its speaker. */
  queuedMs: number
}

/** Follows the announcements of a fleet from the line to the sentence. */
export class Announcements {
  /** By speaker, the arrival of each announcement that has not started yet, by its number. */
  readonly #arrived = new Map<number, Map<number, number>>()
  /** When each speaker's last sentence ended. */
  readonly #silentSinceMs = new Map<number, number>()

  /** Applies a feed item of the speaker with this index. Returns the sentence that it starts. */
  on(index: number, item: FeedItem): Sentence | undefined {
    if (item.kind === 'packet') {
      const { direction, message } = item.note
      if (direction === 'in' && message?.t === 'announce' && message.n !== undefined)
        this.#arrives(index, message.n, item.atMs)
      return undefined
    }
    const { event } = item
    switch (event.event) {
      case 'announce':
        return this.#starts(index, event, item.atMs)
      case 'failed':
        if (event.t !== 'announce') return undefined
        this.#arrived.get(index)?.delete(event.n)
        this.#silentSinceMs.set(index, item.atMs)
        return undefined
      case 'played':
        // It may have come again while it sounded.
        this.#arrived.get(index)?.delete(event.n)
        this.#silentSinceMs.set(index, item.atMs)
        return undefined
      case 'repeat':
      case 'dropped':
        // The hub repeats what waits for long; it has arrived before.
        if (event.stage !== 'received') this.#arrived.get(index)?.delete(event.n)
        return undefined
      case 'power':
        this.#arrived.delete(index)
        return undefined
      default:
        return undefined
    }
  }

  #arrives(index: number, n: number, atMs: number): void {
    const of = this.#arrived.get(index) ?? new Map<number, number>()
    if (!of.has(n)) of.set(n, atMs)
    this.#arrived.set(index, of)
  }

  #starts(index: number, { n, amount }: { n: number; amount: string }, startedAtMs: number): Sentence {
    const of = this.#arrived.get(index)
    const arrivedAtMs = of?.get(n) ?? startedAtMs
    of?.delete(n)
    const silentSinceMs = this.#silentSinceMs.get(index) ?? arrivedAtMs
    return { amount, startedAtMs, arrivedAtMs, queuedMs: Math.max(0, silentSinceMs - arrivedAtMs) }
  }
}
