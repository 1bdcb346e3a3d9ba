import type { Clock } from './clock.ts'

/** Values that a case can check. A dot reaches into nested objects. */
export type Facts = Readonly<Record<string, unknown>>

/** One packet, or one event of a connection. */
export interface TranscriptEntry {
  /** Its index in the transcript, from 0. */
  seq: number
  atMs: number
  /** The number of the connection, from 1. */
  link: number
  direction: 'up' | 'down' | 'line'
  /**
   * Up: the message's kind (birth, ack, settings, telemetry, will), `publish` on any other topic, else the MQTT
   * packet. Down: `command` or the MQTT packet. Line: opened, closed, welcomed.
   */
  kind: string
  /** The whole MQTT packet with its fixed header. */
  bytes: Buffer
  /** Facts about the packet: topic, QoS, whether the MAC is right. */
  has: Facts
  /** Fields of the frame in it. */
  says: Facts
  /** The likely cause of a wrong fact, by the fact's name. */
  hints: Readonly<Record<string, string>>
  /** The case that was running. */
  caseId: string | undefined
}

export type Observed = Pick<TranscriptEntry, 'link' | 'direction' | 'kind'> &
  Partial<Pick<TranscriptEntry, 'bytes' | 'has' | 'says' | 'hints'>>

const NO_BYTES = Buffer.alloc(0)

/** All packets and events of a run, in order. `until` also waits for future ones. */
export class Transcript {
  readonly all: TranscriptEntry[] = []
  caseId: string | undefined
  readonly #clock: Clock
  readonly #watchers = new Set<(entry: TranscriptEntry) => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The index of the next entry. */
  get end(): number {
    return this.all.length
  }

  add(observed: Observed): TranscriptEntry {
    const entry: TranscriptEntry = {
      ...{ bytes: NO_BYTES, has: {}, says: {}, hints: {} },
      ...observed,
      ...{ seq: this.end, atMs: this.#clock.now(), caseId: this.caseId },
    }
    this.all.push(entry)
    for (const watcher of [...this.#watchers]) watcher(entry)
    return entry
  }

  /** Resolves with the first entry from index `from` that matches, past or future, or with undefined after `ms`. */
  until(
    from: number,
    ms: number,
    fits: (entry: TranscriptEntry) => boolean,
  ): Promise<TranscriptEntry | undefined> {
    const seen = this.all.slice(from).find(fits)
    if (seen) return Promise.resolve(seen)
    return new Promise((resolve) => {
      const done = (found: TranscriptEntry | undefined) => {
        this.#watchers.delete(watcher)
        cancel()
        resolve(found)
      }
      const watcher = (entry: TranscriptEntry) => {
        if (fits(entry)) done(entry)
      }
      const cancel = this.#clock.wakeAt(this.#clock.now() + ms, () => done(undefined))
      this.#watchers.add(watcher)
    })
  }
}
