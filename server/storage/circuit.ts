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

/** Of a command, which waits for as long as the storage takes. */
export const NO_CIRCUIT: StorageCircuit = {
  isAway: () => false,
  pass: (act) => act(),
  patiently: (act) => act(),
  onAway: () => () => undefined,
  watch: () => () => undefined,
}

export function createStorageCircuit(clock: Pick<Clock, 'after'>): StorageCircuit {
  let tick = 0
  let isTicking = false
  let isAway = false
  const acts = createActCounts((error) => (isAway && isUnavailable(error) ? refusal() : error))
  const patient = createPatient()
  const listeners = new Set<() => void>()
  let probe: (() => Promise<unknown>) | undefined
  /** The newest probe without an answer. */
  let asked: { since: number } | undefined
  let answeredAt = 0

  function keepTicking() {
    if (isTicking) return
    isTicking = true
    clock.after(TICK_MS, () => {
      isTicking = false
      tick += 1
      const oldest = acts.nextTick(tick)
      if (isAway) patient.endWaits(tick - PATIENCE_TICKS)
      const next = judgeTick({ tick, isAway, askedAt: asked?.since, answeredAt, oldest })
      if (next === 'probe') ask()
      else if (next === 'away') becomeAway()
      if (isAway || asked || oldest !== undefined) keepTicking()
    })
  }

  function ask() {
    if (!probe) return
    const mine = { since: tick }
    asked = mine
    probe().then(
      () => {
        answeredAt = tick
        becomeBack()
      },
      () => {
        if (asked === mine) asked = undefined
        if (!isAway) becomeAway()
      },
    )
  }

  function becomeAway() {
    isAway = true
    for (const listener of listeners) listener()
    keepTicking()
  }

  function becomeBack() {
    asked = undefined
    isAway = false
    patient.endWaits()
  }

  return {
    isAway: () => isAway,

    pass(act) {
      if (isAway) return Promise.reject(refusal())
      const { ended, failed } = acts.begin()
      keepTicking()
      return act().then(ended, failed)
    },

    async patiently(act) {
      let since: number | undefined
      for (;;) {
        try {
          return await act()
        } catch (error) {
          since ??= tick
          if (!isAway || !isUnavailable(error) || tick - since >= PATIENCE_TICKS) throw error
          await patient.wait(since)
        }
      }
    },

    onAway(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    watch(next) {
      let isOver = false
      // Before its first answer a storage is starting: a thread that loads its code is not a disk that hangs.
      next()
        .catch(() => undefined)
        .then(() => {
          if (!isOver) probe = next
        })
      return () => {
        isOver = true
        if (probe !== next) return
        probe = undefined
        becomeBack()
      }
    },
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

/** Counts the acts under way by the tick in which they began: a calm hub pays next to nothing for an act. */
function createActCounts(toError: (error: unknown) => unknown) {
  let newest = beginAt(0)
  /** Those of earlier ticks, the oldest first. */
  const earlier = new Set<typeof newest>()

  function beginAt(since: number) {
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

  return {
    begin() {
      newest.count += 1
      return newest
    },
    /** Returns when the oldest act of an earlier tick began. */
    nextTick(tick: number): number | undefined {
      earlier.add(newest)
      newest = beginAt(tick)
      for (const acts of earlier) if (acts.count === 0) earlier.delete(acts)
      const [oldest] = earlier
      return oldest?.since
    },
  }
}

/** Acts that wait until the storage is back, and since which tick. */
function createPatient() {
  const waiting = new Map<() => void, number>()
  return {
    wait: (since: number) => new Promise<void>((resolve) => waiting.set(resolve, since)),
    /** Ends the waits that began at a tick or earlier. */
    endWaits(upTo = Number.POSITIVE_INFINITY) {
      for (const [goOn, since] of waiting) {
        if (since > upTo) continue
        waiting.delete(goOn)
        goOn()
      }
    },
  }
}

/** Without a cause: the sweep logs it once. */
function refusal(): HubError {
  return new HubError('UNAVAILABLE', { retryAfterS: 1 })
}
