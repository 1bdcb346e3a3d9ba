import type { Clock } from '../platform/clock.ts'
import { HubError, isUnavailable } from '../platform/errors.ts'

/**
 * Time is counted in ticks of this process. A process that was stopped, or whose event loop is late, has not waited, and
 * must not take its own pause for one of the storage.
 */
const TICK_MS = 250
/** An act that takes so long makes the circuit probe. A processor may give up after 3 s: it must have its 503 well before. */
const SUSPECT_TICKS = 2
/** A storage that leaves a probe unanswered for so long is away. */
const ANSWER_TICKS = 4
/** A device takes its connection for lost when it gets no PUBACK for 60 s (sb/1 7.26). */
const PATIENCE_TICKS = 160

/**
 * Knows whether the storage answers at all: PostgreSQL may be stopped or cut off, and a disk may hang. A long statement
 * or a wait for a lock makes the circuit probe, and the probe is answered. An error is an answer, too.
 *
 * While the storage is away, acts are refused at once, so that nothing piles up, and probes find out when it is back.
 * Held by test/server/storage/circuit.test.ts and test/whole/server/operate/postgres-hang.test.ts.
 */
export interface StorageCircuit {
  isAway(): boolean
  /** Carries out an act of the storage. Refuses it with UNAVAILABLE while the storage is away. */
  pass<T>(act: () => Promise<T>): Promise<T>
  /**
   * Carries out an act that may run twice, again when the storage is back. Rejects with UNAVAILABLE when it is away for
   * more than 40 s.
   */
  patiently<T>(act: () => Promise<T>): Promise<T>
  /** Calls `listener` whenever the storage is found away. The returned function ends it. */
  onAway(listener: () => void): () => void
  /** Takes over a storage. `probe` resolves when the storage has answered, and takes no lock. The returned function ends it. */
  watch(probe: () => Promise<unknown>): () => void
}

/** For the command line, which waits for as long as the storage takes. */
export const NO_CIRCUIT: StorageCircuit = {
  isAway: () => false,
  pass: (act) => act(),
  patiently: (act) => act(),
  onAway: () => () => undefined,
  watch: () => () => undefined,
}

/** Its public functions are bound, because callers pass them on without the object. */
export class ProbingCircuit implements StorageCircuit {
  readonly #clock: Pick<Clock, 'after'>
  #tick = 0
  #isTicking = false
  #isAway = false
  readonly #toError = (error: unknown) => (this.#isAway && isUnavailable(error) ? refusal() : error)
  #newest = createActCount(0, this.#toError)
  /** The counts of earlier ticks, the oldest first. */
  readonly #earlier = new Set<ReturnType<typeof createActCount>>()
  /** Acts that wait until the storage is back, and since which tick. */
  readonly #waits = new Map<() => void, number>()
  readonly #listeners = new Set<() => void>()
  #probe: (() => Promise<unknown>) | undefined
  /** The newest probe without an answer. */
  #asked: { since: number } | undefined
  #answeredAt = 0

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  readonly isAway = () => this.#isAway

  readonly pass = <T>(act: () => Promise<T>): Promise<T> => {
    if (this.#isAway) return Promise.reject(refusal())
    const acts = this.#newest
    acts.count += 1
    this.#keepTicking()
    return act().then(acts.ended, acts.failed)
  }

  readonly patiently = async <T>(act: () => Promise<T>): Promise<T> => {
    let failedAt: number | undefined
    for (;;) {
      try {
        return await act()
      } catch (error) {
        const since = failedAt ?? this.#tick
        failedAt = since
        if (!this.#isAway || !isUnavailable(error) || this.#tick - since >= PATIENCE_TICKS) throw error
        await new Promise<void>((resolve) => this.#waits.set(resolve, since))
      }
    }
  }

  readonly onAway = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly watch = (probe: () => Promise<unknown>) => {
    let isOver = false
    // Before its first answer a storage is starting: a thread that loads its code is not a disk that hangs.
    const started = () => {
      if (!isOver) this.#probe = probe
    }
    probe().then(started, started)
    return () => {
      isOver = true
      if (this.#probe !== probe) return
      this.#probe = undefined
      this.#becomeBack()
    }
  }

  #keepTicking() {
    if (this.#isTicking) return
    this.#isTicking = true
    this.#clock.after(TICK_MS, () => {
      this.#isTicking = false
      this.#tick += 1
      this.#onTick(this.#oldestAct())
    })
  }

  /** Returns when the oldest act of an earlier tick began. */
  #oldestAct(): number | undefined {
    this.#earlier.add(this.#newest)
    this.#newest = createActCount(this.#tick, this.#toError)
    for (const acts of this.#earlier) if (acts.count === 0) this.#earlier.delete(acts)
    const [oldest] = this.#earlier
    return oldest?.since
  }

  #onTick(oldest: number | undefined) {
    if (this.#isAway) this.#endWaits(this.#tick - PATIENCE_TICKS)
    const next = judgeTick({
      ...{ tick: this.#tick, isAway: this.#isAway, answeredAt: this.#answeredAt },
      ...{ askedAt: this.#asked?.since, oldest },
    })
    if (next === 'probe') this.#ask()
    else if (next === 'away') this.#becomeAway()
    if (this.#isAway || this.#asked || oldest !== undefined) this.#keepTicking()
  }

  #ask() {
    if (!this.#probe) return
    const mine = { since: this.#tick }
    this.#asked = mine
    this.#probe().then(
      () => {
        this.#answeredAt = this.#tick
        this.#becomeBack()
      },
      () => {
        if (this.#asked === mine) this.#asked = undefined
        if (!this.#isAway) this.#becomeAway()
      },
    )
  }

  #becomeAway() {
    this.#isAway = true
    for (const listener of this.#listeners) listener()
    this.#keepTicking()
  }

  #becomeBack() {
    this.#asked = undefined
    this.#isAway = false
    this.#endWaits()
  }

  /** Ends the waits that began at a tick or earlier. */
  #endWaits(upTo = Number.POSITIVE_INFINITY) {
    for (const [goOn, since] of this.#waits) {
      if (since > upTo) continue
      this.#waits.delete(goOn)
      goOn()
    }
  }
}

/** What the circuit knows at a tick. All but the first two are ticks. */
interface AtTick {
  tick: number
  isAway: boolean
  /** When the newest probe without an answer went out. */
  askedAt: number | undefined
  /** When the last probe was answered. */
  answeredAt: number
  /** When the oldest act under way began. */
  oldest: number | undefined
}

/** What the circuit does at a tick. */
export function judgeTick({ tick, isAway, askedAt, answeredAt, oldest }: AtTick): 'probe' | 'away' | 'wait' {
  const isLate = askedAt !== undefined && tick - askedAt >= ANSWER_TICKS
  if (isAway) return askedAt === undefined || isLate ? 'probe' : 'wait'
  if (askedAt !== undefined) return isLate ? 'away' : 'wait'
  return oldest !== undefined && tick - Math.max(oldest, answeredAt) >= SUSPECT_TICKS ? 'probe' : 'wait'
}

/** Counts the acts under way that began in one tick. They share two functions: a calm hub pays next to nothing for an act. */
function createActCount(since: number, toError: (error: unknown) => unknown) {
  const acts = {
    since,
    count: 0,
    ended<T>(value: T): T {
      acts.count -= 1
      return value
    },
    failed(error: unknown): never {
      acts.count -= 1
      throw toError(error)
    },
  }
  return acts
}

/** Without a cause: the sweep logs it once. */
function refusal(): HubError {
  return new HubError('UNAVAILABLE', { retryAfterS: 1 })
}
