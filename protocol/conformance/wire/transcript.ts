import type { Clock } from './clock.ts'

/** Values that a case can ask for; nested objects are reached with a dot. */
export type Facts = Readonly<Record<string, unknown>>

/** One packet as it passed, or a thing that happened to the line. */
export interface Sighting {
  /** Its place in the transcript, from 0. */
  seq: number
  atMs: number
  /** Which connection, from 1. */
  link: number
  direction: 'up' | 'down' | 'line'
  /**
   * Up: the message's kind (birth, ack, settings, telemetry, will), `publish` on any other topic, else the MQTT
   * packet. Down: `command` or the MQTT packet. Line: opened, closed, welcomed.
   */
  kind: string
  /** The whole MQTT packet, fixed header included. */
  bytes: Buffer
  /** What the packet is: topic, QoS, MAC right or wrong. */
  has: Facts
  /** What the frame in it says. */
  says: Facts
  /** For a fact that is not as it should be: how it probably came about. */
  hints: Readonly<Record<string, string>>
  /** The case that was running. */
  caseId: string | undefined
}

export type Observed = Pick<Sighting, 'link' | 'direction' | 'kind'> &
  Partial<Pick<Sighting, 'bytes' | 'has' | 'says' | 'hints'>>

const NOTHING = Buffer.alloc(0)

/** Everything that passed, in order, and a way to wait for what will. */
export class Transcript {
  readonly all: Sighting[] = []
  caseId: string | undefined
  readonly #clock: Clock
  readonly #watchers = new Set<(sighting: Sighting) => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The place that the next sighting will have. */
  get end(): number {
    return this.all.length
  }

  add(observed: Observed): Sighting {
    const sighting: Sighting = {
      ...{ bytes: NOTHING, has: {}, says: {}, hints: {} },
      ...observed,
      ...{ seq: this.end, atMs: this.#clock.now(), caseId: this.caseId },
    }
    this.all.push(sighting)
    for (const watcher of [...this.#watchers]) watcher(sighting)
    return sighting
  }

  /** Resolves with the first sighting from `from` on that fits, seen already or to come; undefined after `ms`. */
  until(from: number, ms: number, fits: (sighting: Sighting) => boolean): Promise<Sighting | undefined> {
    const seen = this.all.slice(from).find(fits)
    if (seen) return Promise.resolve(seen)
    return new Promise((resolve) => {
      const done = (found: Sighting | undefined) => {
        this.#watchers.delete(watcher)
        cancel()
        resolve(found)
      }
      const watcher = (sighting: Sighting) => {
        if (fits(sighting)) done(sighting)
      }
      const cancel = this.#clock.wakeAt(this.#clock.now() + ms, () => done(undefined))
      this.#watchers.add(watcher)
    })
  }
}
