import { type Clock, isoInstant } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { AuditRecords } from '../storage/audit.ts'
import type { Retention } from '../storage/ports.ts'

const HOUR_MS = 60 * 60_000
/** A clock that moves further than this against elapsed time was set. NTP corrects a running clock by less. */
const JUMP_MS = HOUR_MS
/** Retention trusts a clock again that has not jumped for so long. */
const STEADY_MS = 24 * HOUR_MS
/** A clock further behind the newest payment is wrong. Hubs on one storage differ by less. */
const BEHIND_MS = 5 * 60_000
/** How often a hub reads the newest payment, and whether another hub, or the operator, has changed the state. */
const READ_EVERY_MS = 60_000

export interface ClockWatch {
  /**
   * Compares the clock with elapsed time and with the stored state. Resolves to the time that was compared, by which rows
   * may be deleted: the clock may be set in the next moment. Undefined: nothing may be deleted.
   */
  look(): Promise<number | undefined>
  /**
   * Undefined unless the clock was set since the last look. Then a promise that resolves when the doubt is stored, or can't
   * be: who takes in something from outside awaits it first, as `Clock.fresh`. Otherwise a hub that stores a payment by the
   * new time, and is killed before the next look, finds at its start that clock and newest payment agree.
   */
  noted(): Promise<void> | undefined
  /** Whether nothing may be done for good by the clock: by the last look, or because it was set since. */
  isDoubted(): boolean
  /** Whether the clock is behind the newest payment of the last look, so that it is wrong for certain. */
  isBehind(): boolean
}

/** The reason of a doubt. `jumpMs`: how far the clock has moved, milliseconds; negative when it was set back. */
export interface ClockDoubt {
  why: 'jumped' | 'start'
  jumpMs: number
}

/**
 * Decides whether retention may go by the clock, because a row that is deleted under a wrong clock is lost.
 *
 * The state is the newest audit row of an action `clock.*`, so that it survives a restart and holds for all hubs:
 * `clock.doubt` stops retention; `clock.steady`, or `clock.confirm` of an operator, lets it go on. Elapsed time is known
 * within one process only: a hub that restarts under a doubt waits for the whole time again.
 *
 * A clock that was ahead leaves payments that lie in the future. An operator who confirms the clock knows of them: from
 * then on, only a payment behind them proves a clock wrong. Each row says up to where (`confirmedUpTo`).
 */
export function createClockWatch({
  audit,
  retention,
  bridgeMs,
  isAlone,
  clock,
  log,
}: {
  audit: AuditRecords
  retention: Pick<Retention, 'newestReceivedAt' | 'noteClock'>
  /** The shortest time for which payments or events are kept: a start this long after the newest payment is doubted. */
  bridgeMs: number
  /** Whether no other hub works on this storage. */
  isAlone: boolean
  clock: Clock
  log: Logger
}): ClockWatch {
  /** The clock and elapsed time, from which jumps are measured. Undefined until the first look. */
  let base: { now: number; elapsed: number } | undefined
  let isDoubted = false
  let readAt = Number.NEGATIVE_INFINITY
  let newestAt: number | undefined
  let confirmedUpTo = 0
  let wasBehind = false

  /** How far the clock has moved against elapsed time since the base. */
  const jumpOf = (now: number, elapsed: number) => (base ? now - base.now - (elapsed - base.elapsed) : 0)

  /** Also when it was set back since the last look: the newest payment may be younger than that. */
  const isBehind = () =>
    jumpOf(clock.now(), clock.elapsed()) < -JUMP_MS ||
    (newestAt !== undefined && newestAt > confirmedUpTo && newestAt > clock.now() + BEHIND_MS)

  async function readNewest() {
    readAt = clock.elapsed()
    newestAt = await retention.newestReceivedAt()
  }

  async function readState() {
    const [row] = await audit.list({ action: 'clock.', limit: 1 })
    confirmedUpTo = Number(row?.details.confirmedUpTo ?? 0)
    isDoubted = row?.action === 'clock.doubt'
  }

  async function doubt(found: ClockDoubt) {
    await retention.noteClock('clock.doubt', clock.now(), { ...found, confirmedUpTo })
    isDoubted = true
    log.warn(
      found,
      'the clock was set: retention waits until it has been steady for 24 hours, or until `hub clock confirm`',
    )
  }

  function judgeStart(now: number): ClockDoubt | undefined {
    if (newestAt === undefined || newestAt <= confirmedUpTo) return undefined
    const jumpMs = now - newestAt
    return jumpMs > bridgeMs || jumpMs < -JUMP_MS ? { why: 'start', jumpMs } : undefined
  }

  async function begin(now: number) {
    await readNewest()
    await readState()
    const found = isDoubted ? undefined : judgeStart(now)
    if (found) await doubt(found)
    else if (isDoubted) log.warn('retention waits: the clock was set before this start')
  }

  /** Reads the state, and ends a doubt after a steady time. */
  async function follow(now: number, elapsed: number, steadySince: number) {
    const before = isDoubted
    if (elapsed - readAt >= READ_EVERY_MS) await readNewest()
    // The audit may be long. Nobody but an operator changes the state of a hub that is alone, and only to end this.
    if (isDoubted || !isAlone || isBehind()) await readState()
    // The time for which the clock is steady begins with the doubt, also with that of another hub.
    if (isDoubted && !before) base = { now, elapsed }
    else if (isDoubted && elapsed - steadySince >= STEADY_MS) {
      await retention.noteClock('clock.steady', now, { confirmedUpTo })
      isDoubted = false
    }
    if (before && !isDoubted) log.info('the clock is trusted again: retention goes on')
  }

  function tellBehind() {
    const isNow = isBehind()
    if (isNow && !wasBehind)
      log.error(
        { newest: newestAt === undefined ? undefined : isoInstant(newestAt), now: isoInstant(clock.now()) },
        'the clock is behind the newest payment: the hub is not ready until the clock is right, or until `hub clock confirm`',
      )
    if (!isNow && wasBehind) log.info('the clock is not behind the newest payment any more')
    wasBehind = isNow
  }

  const hasJumped = () => Math.abs(jumpOf(clock.now(), clock.elapsed())) > JUMP_MS

  async function look() {
    const { now, elapsed } = { now: clock.now(), elapsed: clock.elapsed() }
    const jumpMs = jumpOf(now, elapsed)
    if (!base) {
      await begin(now)
      base = { now, elapsed }
    } else if (Math.abs(jumpMs) > JUMP_MS) {
      // Noted again when the clock is doubted already: the newest row tells of the newest jump.
      await readNewest()
      await doubt({ why: 'jumped', jumpMs })
      base = { now, elapsed }
    } else if (isDoubted || elapsed - readAt >= READ_EVERY_MS) await follow(now, elapsed, base.elapsed)
    tellBehind()
    return isDoubted ? undefined : now
  }

  let noting: Promise<void> | undefined

  async function note() {
    try {
      await look()
    } catch {
      // A storage that is away stores no payment either. The next look tries again.
    }
    noting = undefined
  }

  return {
    isDoubted: () => isDoubted || hasJumped(),
    isBehind,
    look,
    noted() {
      if (hasJumped()) noting ??= note()
      return noting
    },
  }
}
