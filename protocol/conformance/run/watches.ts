/**
 * What the kit still watches for after the end of a case, while the next cases run. It ends before the kit breaks the
 * connection, so that each watch has its whole time in the session.
 */
export class Watches {
  readonly #open = new Set<Promise<unknown>>()

  add(watch: Promise<unknown>): void {
    this.#open.add(watch)
    void watch.finally(() => this.#open.delete(watch))
  }

  async over(): Promise<void> {
    await Promise.all(this.#open)
  }
}
