import type { Clock } from '../../platform/clock.ts'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { matchesEvent, type Pattern } from './pattern.ts'

export interface LoggedEvent {
  atMs: number
  event: SpeakerEvent
}

/** Sees everything that happens from the start, and waits for what shall. */
export class EventLog {
  readonly #clock: Clock
  readonly #seen: LoggedEvent[] = []
  readonly #waiting = new Set<() => void>()
  readonly #end: () => void
  /** Where what has not yet been expected begins. */
  #from = 0

  constructor(speaker: Pick<Speaker, 'subscribe'>, clock: Clock) {
    this.#clock = clock
    this.#end = speaker.subscribe((item) => {
      if (item.kind !== 'event') return
      this.#seen.push({ atMs: item.atMs, event: item.event })
      for (const wake of this.#waiting) wake()
    })
  }

  /** Everything since the last happening that was expected and came. */
  get since(): readonly LoggedEvent[] {
    return this.#seen.slice(this.#from)
  }

  get all(): readonly LoggedEvent[] {
    return this.#seen
  }

  /** The first one like this after those that were expected before it; undefined when there is none in time. */
  async next(wanted: Pattern, withinMs: number): Promise<LoggedEvent | undefined> {
    const index = await this.#poll(() => this.#indexOf(wanted), withinMs)
    if (index !== undefined) this.#from = index + 1
    return index === undefined ? undefined : this.#seen[index]
  }

  /** The same, but what is found stays to be expected. */
  async peek(wanted: Pattern, withinMs: number): Promise<LoggedEvent | undefined> {
    const index = await this.#poll(() => this.#indexOf(wanted), withinMs)
    return index === undefined ? undefined : this.#seen[index]
  }

  /** Whether it becomes true in time: asked at once, after everything that happens, and every so often. */
  async becomes(isTrue: () => boolean, withinMs: number, everyMs: number): Promise<boolean> {
    const look = () => (isTrue() ? true : undefined)
    for (let leftMs = withinMs; leftMs > 0; leftMs -= everyMs)
      if (await this.#poll(look, Math.min(everyMs, leftMs))) return true
    return isTrue()
  }

  close(): void {
    this.#end()
  }

  #indexOf(wanted: Pattern): number | undefined {
    const found = this.#seen.findIndex(
      ({ event }, index) => index >= this.#from && matchesEvent(wanted, event),
    )
    return found === -1 ? undefined : found
  }

  #poll<T>(look: () => T | undefined, withinMs: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const untilMs = this.#clock.now() + withinMs
      const done = (found: T | undefined) => {
        cancel()
        this.#waiting.delete(wake)
        resolve(found)
      }
      const wake = () => {
        const found = look()
        if (found !== undefined) done(found)
      }
      const late = () => done(look())
      const cancel = this.#clock.wakeAt(untilMs, late)
      this.#waiting.add(wake)
      wake()
    })
  }
}
