import { isBox } from '../../../boxes/box-speaker.ts'
import type { BoxLine } from '../../../boxes/core/lines.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { SpeakerEvent } from '../../../speaker/device/state/speaker-events.ts'
import type { Speaker } from '../../../speaker/speaker.ts'
import type { Pattern } from '../file/pattern.ts'
import { matchesEvent } from './match.ts'

/** An event with its time. */
export type LoggedEvent =
  | { atMs: number; event: SpeakerEvent; isOfBox?: false }
  | { atMs: number; event: BoxLine; isOfBox: true }

/** Records every event from the start, and waits for expected ones. */
export class EventLog {
  readonly #clock: Clock
  readonly #seen: LoggedEvent[] = []
  readonly #waiting = new Set<() => void>()
  readonly #end: () => void
  readonly #over: AbortSignal | undefined
  /** The index of the first event that no step has matched yet. */
  #from = 0

  /** `over`: from then on, nothing is waited for. */
  constructor(speaker: Pick<Speaker, 'subscribe'>, clock: Clock, over?: AbortSignal) {
    this.#clock = clock
    this.#over = over
    this.#end = isBox(speaker)
      ? speaker.box.subscribe((item) => {
          if (item.kind === 'event') this.#add({ atMs: item.atMs, event: item.event, isOfBox: true })
        })
      : speaker.subscribe((item) => {
          if (item.kind === 'event') this.#add({ atMs: item.atMs, event: item.event })
        })
  }

  #add(event: LoggedEvent): void {
    this.#seen.push(event)
    for (const wake of this.#waiting) wake()
  }

  /** The events since the last match. */
  get since(): readonly LoggedEvent[] {
    return this.#seen.slice(this.#from)
  }

  /** The events up to the last match. */
  get before(): readonly LoggedEvent[] {
    return this.#seen.slice(0, this.#from)
  }

  get all(): readonly LoggedEvent[] {
    return this.#seen
  }

  /** Matches the first such event after the last match; undefined when none comes in time. */
  async next(wanted: Pattern, withinMs: number): Promise<LoggedEvent | undefined> {
    const found = await this.peek(wanted, withinMs)
    if (found) this.#from = this.#seen.indexOf(found) + 1
    return found
  }

  /** Finds such an event without consuming it. */
  peek(wanted: Pattern, withinMs: number): Promise<LoggedEvent | undefined> {
    return this.#poll(() => this.since.find(({ event }) => matchesEvent(wanted, event)), withinMs)
  }

  /** Whether a condition becomes true in time: checked at once, after every event, and periodically. */
  async becomes(isTrue: () => boolean, withinMs: number, everyMs: number): Promise<boolean> {
    const look = () => (isTrue() ? true : undefined)
    for (let leftMs = withinMs; leftMs > 0 && !this.#over?.aborted; leftMs -= everyMs)
      if (await this.#poll(look, Math.min(everyMs, leftMs))) return true
    return isTrue()
  }

  close(): void {
    this.#end()
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
