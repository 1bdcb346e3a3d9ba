import type { Transcript, TranscriptEntry } from '../wire/transcript.ts'

/** A later wait for what did not come: enough for an answer. */
const SHORT_MS = 5_000
/** After so many waits in a row nothing is waited for any more. */
const MOST_WAITS = 3

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
 */
export class Patience {
  readonly #transcript: Transcript
  readonly #missing = new Map<unknown, Missing>()

  constructor(transcript: Transcript) {
    this.#transcript = transcript
  }

  /** How long to wait in place of `ms`. The device may speak for `speechMs` before it answers. */
  msFor(stage: unknown, ms: number, speechMs = 0): number {
    const missing = this.#missingOf(stage)
    if (!missing) return ms
    return missing.waits < MOST_WAITS ? Math.min(ms, SHORT_MS + 2 * speechMs) : 0
  }

  /** The case that has shown that no such ack comes. Undefined while it is still worth a wait. */
  shownBy(stage: unknown): string | undefined {
    const missing = this.#missingOf(stage)
    return missing && missing.waits >= MOST_WAITS ? missing.caseId : undefined
  }

  /** A wait for an ack of this stage has ended without an answer. */
  waited(stage: unknown, caseId: string): void {
    const { waits = 0, caseId: first = caseId } = this.#missingOf(stage) ?? {}
    this.#missing.set(stage, { caseId: first, waits: waits + 1, end: this.#transcript.end })
  }

  #missingOf(stage: unknown): Missing | undefined {
    const missing = this.#missing.get(stage)
    const isIt = ({ kind, says }: TranscriptEntry) => kind === 'ack' && says.st === stage && !says.dup
    if (missing && this.#transcript.all.slice(missing.end).some(isIt)) {
      missing.waits = Math.min(missing.waits, MOST_WAITS - 1)
      missing.end = this.#transcript.end
    }
    return missing
  }
}
