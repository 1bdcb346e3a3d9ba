/**
 * Handles one event at a time, in their order: an event that comes while another one is handled waits, and so do all of
 * them while the queue is held.
 */
export class EventQueue<Event> {
  readonly #waiting: Event[] = []
  readonly #handle: (event: Event) => void
  readonly #onIdle: () => void
  #isWorking = false
  #held: Promise<void> | undefined

  /** `onIdle` is called when no event is left, or the queue is held. */
  constructor(handle: (event: Event) => void, onIdle: () => void) {
    this.#handle = handle
    this.#onIdle = onIdle
  }

  get isHeld(): boolean {
    return this.#held !== undefined
  }

  push(event: Event): void {
    this.#waiting.push(event)
    this.#work()
  }

  /** Holds the queue until `release` resolves. Its function runs before the next event. A newer call replaces this one. */
  hold(release: Promise<() => void>): void {
    const held = release.then((act) => {
      if (this.#held !== held) return
      this.#held = undefined
      this.#work(act)
    })
    this.#held = held
  }

  /** Resolves when the queue is not held. */
  async released(): Promise<void> {
    while (this.#held !== undefined) await this.#held
  }

  #work(first = () => {}): void {
    if (this.#isWorking || this.isHeld) return
    this.#isWorking = true
    try {
      first()
      while (!this.isHeld) {
        const next = this.#waiting.shift()
        if (next === undefined) break
        this.#handle(next)
      }
    } finally {
      this.#isWorking = false
    }
    this.#onIdle()
  }
}
