import type { Clock } from '../../platform/clock.ts'
import type { FeedListener } from '../../speaker/feed.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import { timelineOf } from './timeline.ts'
import type { Transcript } from './transcript.ts'

/** The available speeds. */
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const
/** As many as the log on a screen holds. */
const REMEMBERED_ITEMS = 1_000

export interface ReplayOptions {
  clock: Clock
  /** 1 is the original speed. */
  speed: number
  /** Where to start. */
  fromMs: number
  /** Longer idle stretches are shortened to this. */
  maxIdleMs: number
}

/** The position and state of a replay. */
export interface ReplayState {
  positionMs: number
  lengthMs: number
  speed: number
  paused: boolean
  /** Whether everything has been shown. */
  atEnd: boolean
  /** Counts jumps: the log before a jump does not belong to the position after it. */
  jumps: number
}

/** A recorded session that is played back, with the interface of a speaker. */
export interface Replay {
  readonly serial: string
  /** Receives the recent past first, then every new item. Returns a function that ends the subscription. */
  subscribe(listener: FeedListener): () => void
  /** The speaker at the current position. */
  snapshot(): SpeakerSnapshot
  state(): ReplayState
  /** Calls back when the state changes other than by time. Returns a function that ends it. */
  onChange(listener: () => void): () => void
  /** Plays; at the end, starts again. */
  play(): void
  pause(): void
  /** Toggles between playing and paused. */
  toggle(): void
  /** Jumps forward or backward. */
  seekBy(ms: number): void
  /** Moves to the next or previous moment, and pauses. */
  step(direction: 1 | -1): void
  /** Selects the next speed. */
  changeSpeed(direction: 1 | -1): void
}

export function createReplay(transcript: Transcript, options: ReplayOptions): Replay {
  return new TimedReplay(transcript, options)
}

class TimedReplay implements Replay {
  readonly serial: string
  readonly #moments: Transcript['moments']
  readonly #times: readonly number[]
  readonly #lengthMs: number
  readonly #clock: Clock
  readonly #listeners = new Set<FeedListener>()
  readonly #watchers = new Set<() => void>()
  #speed: number
  #paused = true
  /** The position was `#fromMs` when the clock showed `#sinceMs`. */
  #fromMs: number
  #sinceMs: number
  /** The number of shown moments; at least 1. */
  #shown: number
  #jumps = 0
  #cancel = () => {}

  constructor(transcript: Transcript, { clock, speed, fromMs, maxIdleMs }: ReplayOptions) {
    this.serial = transcript.serial
    this.#moments = transcript.moments
    this.#times = timelineOf(transcript.moments, maxIdleMs)
    this.#lengthMs = this.#times.at(-1) ?? 0
    this.#clock = clock
    this.#speed = speed
    this.#sinceMs = clock.now()
    this.#fromMs = Math.min(fromMs, this.#lengthMs)
    this.#shown = this.#countUntil(this.#fromMs)
  }

  subscribe(listener: FeedListener): () => void {
    const past = this.#moments.slice(0, this.#shown).flatMap(({ item }) => item ?? [])
    for (const item of past.slice(-REMEMBERED_ITEMS)) listener(item)
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  snapshot(): SpeakerSnapshot {
    const moment = this.#moments[this.#shown - 1]
    if (!moment) throw new Error('a transcript has a first moment')
    return moment.snapshot
  }

  state(): ReplayState {
    return {
      positionMs: this.#positionMs(),
      lengthMs: this.#lengthMs,
      speed: this.#speed,
      paused: this.#paused,
      atEnd: this.#shown === this.#moments.length,
      jumps: this.#jumps,
    }
  }

  onChange(listener: () => void): () => void {
    this.#watchers.add(listener)
    return () => {
      this.#watchers.delete(listener)
    }
  }

  play(): void {
    if (this.#shown === this.#moments.length) this.#jumpTo(0)
    this.#anchor(false)
    this.#changed()
  }

  pause(): void {
    this.#anchor(true)
    this.#changed()
  }

  toggle(): void {
    if (this.#paused) this.play()
    else this.pause()
  }

  seekBy(ms: number): void {
    this.#jumpTo(this.#positionMs() + ms)
    this.#changed()
  }

  step(direction: 1 | -1): void {
    this.#anchor(true)
    const nowMs = this.#times[this.#shown - 1] ?? 0
    if (direction === 1) this.#showNext(this.#times.find((ms) => ms > nowMs))
    else this.#jumpTo(this.#times.findLast((ms) => ms < nowMs) ?? 0)
    this.#changed()
  }

  changeSpeed(direction: 1 | -1): void {
    const faster = SPEEDS.find((speed) => speed > this.#speed)
    const slower = SPEEDS.findLast((speed) => speed < this.#speed)
    this.#anchor(this.#paused)
    this.#speed = (direction === 1 ? faster : slower) ?? this.#speed
    this.#plan()
    this.#changed()
  }

  #positionMs(): number {
    if (this.#paused) return this.#fromMs
    const passedMs = (this.#clock.now() - this.#sinceMs) * this.#speed
    return Math.min(this.#fromMs + passedMs, this.#lengthMs)
  }

  #showNext(ms: number | undefined): void {
    if (ms === undefined) return
    this.#fromMs = ms
    this.#show(ms)
  }

  /** Restarts the time from the current position, running or paused. */
  #anchor(paused: boolean): void {
    this.#fromMs = this.#positionMs()
    this.#sinceMs = this.#clock.now()
    this.#paused = paused
    this.#plan()
  }

  #jumpTo(ms: number): void {
    this.#fromMs = Math.max(0, Math.min(ms, this.#lengthMs))
    this.#sinceMs = this.#clock.now()
    this.#shown = this.#countUntil(this.#fromMs)
    this.#jumps += 1
    this.#plan()
  }

  #plan(): void {
    this.#cancel()
    const nextMs = this.#times[this.#shown]
    if (this.#paused || nextMs === undefined) return
    this.#cancel = this.#clock.wakeAt(this.#sinceMs + (nextMs - this.#fromMs) / this.#speed, () => {
      this.#show(Math.max(this.#positionMs(), nextMs))
    })
  }

  /** Shows the moments that are due, and pauses at the end. */
  #show(untilMs: number): void {
    for (const next of this.#moments.slice(this.#shown, this.#countUntil(untilMs))) {
      this.#shown += 1
      if (next.item) for (const listener of this.#listeners) listener(next.item)
    }
    if (this.#shown === this.#moments.length) this.#anchor(true)
    this.#plan()
    this.#changed()
  }

  /** The number of moments up to a position; at least 1. */
  #countUntil(ms: number): number {
    const later = this.#times.findIndex((time) => time > ms)
    return Math.max(1, later < 0 ? this.#times.length : later)
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher()
  }
}
