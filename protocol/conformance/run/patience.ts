import type { Transcript, TranscriptEntry } from '../wire/transcript.ts'

/** A later wait for what did not come: enough for an answer. */
const SHORT_MS = 5_000
/** If no ack can get a PUBACK: for what does not wait for one. */
const UNCONFIRMED_MS = 1_000
/** The same for the end of a session: 10 s after the last PUBACK (2.7), and some. */
const UNCONFIRMED_END_MS = 12_000
/** The case that names acks with a wrong QoS. */
const QOS_CASE = 'connection/qos'
/** After so many waits in a row nothing is waited for any more. */
const MOST_WAITS = 3

/** In place of a stage: the end of a session. */
export const END = 'end'

/** Waits that ended without an ack of a stage, since the last such ack. */
interface Missing {
  /** The case of the first of them. */
  caseId: string
  waits: number
  /** The length of the transcript at the last of them. */
  end: number
}

/**
 * How long the kit waits for an ack of a stage. A device that never sends it, or no longer, gets its verdict soon: later
 * waits are shorter, and after some in a row cases that only show the same mistake are skipped, until such an ack comes.
 * An ack at QoS 0 gets no PUBACK, so what has to wait for it (7.4, 7.19, 2.7) does not come: this is the same mistake.
 */
export class Patience {
  readonly #transcript: Transcript
  readonly #isRun: (caseId: string) => boolean
  readonly #missing = new Map<unknown, Missing>()
  /** How much of the transcript is read. */
  #read = 0
  #hasFailed = false
  #hasQos0 = false

  constructor(transcript: Transcript, isRun: (caseId: string) => boolean = () => false) {
    this.#transcript = transcript
    this.#isRun = isRun
  }

  /** How long to wait for a last stage or END in place of `ms`, and `ms` for anything else. The device may speak for `speechMs` before it answers. */
  msFor(stage: unknown, ms: number, speechMs = 0): number {
    if (stage === undefined) return ms
    if (this.#isUnconfirmed)
      return Math.min(ms, stage === END ? UNCONFIRMED_END_MS : UNCONFIRMED_MS + 2 * speechMs)
    const missing = this.#missingOf(stage)
    if (!missing) return ms
    return missing.waits < MOST_WAITS ? Math.min(ms, SHORT_MS + 2 * speechMs) : 0
  }

  /** The case that has shown that no such ack comes. Undefined while it is still worth a wait. */
  shownBy(stage: unknown): string | undefined {
    if (this.#isUnconfirmed) return QOS_CASE
    const missing = this.#missingOf(stage)
    return missing && missing.waits >= MOST_WAITS ? missing.caseId : undefined
  }

  /** A wait for an ack of this stage has ended without an answer. */
  waited(stage: unknown, caseId: string): void {
    const { waits = 0, caseId: first = caseId } = this.#missingOf(stage) ?? {}
    this.#missing.set(stage, { caseId: first, waits: waits + 1, end: this.#transcript.end })
  }

  get #isUnconfirmed(): boolean {
    this.#readOn()
    return this.#hasQos0 && this.#isRun(QOS_CASE)
  }

  #readOn(): void {
    const { all } = this.#transcript
    for (const { kind, says, has } of all.slice(this.#read)) {
      if (kind !== 'ack') continue
      if (says.st === 'failed') this.#hasFailed = true
      if (has.qos === 0) this.#hasQos0 = true
    }
    this.#read = all.length
  }

  #missingOf(stage: unknown): Missing | undefined {
    this.#readOn()
    // A device that has failed anything fails some commands and not others: each case tells something else.
    if (stage === END || (stage === 'failed' && this.#hasFailed)) return undefined
    const missing = this.#missing.get(stage)
    const isIt = ({ kind, says }: TranscriptEntry) => kind === 'ack' && says.st === stage && !says.dup
    if (missing && this.#transcript.all.slice(missing.end).some(isIt)) {
      missing.waits = Math.min(missing.waits, MOST_WAITS - 1)
      missing.end = this.#transcript.end
    }
    return missing
  }
}
