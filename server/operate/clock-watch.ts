import { type Clock, isoInstant } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { HUB } from '../security/actor.ts'
import type { AuditRecords } from '../storage/audit.ts'
import type { Retention } from '../storage/ports.ts'

const HOUR_MS = 60 * 60_000
/** A clock that moves further than this against elapsed time was set. NTP corrects a running clock by less. */
const JUMP_MS = HOUR_MS
/** Retention trusts a clock again that has not jumped for so long. */
const STEADY_MS = 24 * HOUR_MS
/** A clock further behind the newest payment is wrong. Hubs on one storage differ by less. */
export const BEHIND_MS = 5 * 60_000
/** How often a hub reads the newest payment, and whether another hub, or the operator, has changed the state. */
const READ_EVERY_MS = 60_000

export interface ClockWatch {
  /**
   * Compares the clock with elapsed time and with the stored state. Resolves to the time that was compared, by which rows
   * may be deleted: the clock may be set in the next moment. Undefined: nothing may be deleted.
   */
  look(): Promise<number | undefined>
  /**
   * The clock. When it was set since the last look, its `fresh` also waits until the doubt is stored, or the storage has
   * failed. Why: if the hub stored a payment with the new time and crashed before the next look, clock and newest payment
   * would agree at its next start.
   */
  clock: Clock & Required<Pick<Clock, 'fresh'>>
  /** Whether nothing may be done for good by the clock: by the last look, or because it was set since. */
  isDoubted(): boolean
  /** Whether the clock is behind the newest payment of the last look, so that it is wrong for certain. */
  isBehind(): boolean
}

/** The clock and elapsed time at one moment. */
interface Reading {
  now: number
  elapsed: number
}

interface ClockRecordDeps {
  audit: AuditRecords
  retention: Pick<Retention, 'newestReceivedAt' | 'noteClock'>
  clock: Clock
  log: Logger
}

/** A cache of the clock's state in the storage: the doubt, which all hubs share, and the newest payment. */
function createClockRecord({ audit, retention, clock, log }: ClockRecordDeps) {
  let isDoubted = false
  let confirmedUpTo = 0
  let newestAt: number | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return {
    isDoubted: () => isDoubted,
    newestAt: () => newestAt,
    /** The newest payment, unless it was there when an operator confirmed the clock. */
    unconfirmedAt: () => (newestAt !== undefined && newestAt > confirmedUpTo ? newestAt : undefined),
    isReadDue: (elapsed: number) => elapsed - readAt >= READ_EVERY_MS,
    async readNewest() {
      readAt = clock.elapsed()
      newestAt = await retention.newestReceivedAt()
    },
    async readDoubt() {
      const [row] = await audit.list({ action: 'clock.', limit: 1 })
      confirmedUpTo = Number(row?.details.confirmedUpTo ?? 0)
      isDoubted = row?.action === 'clock.doubt'
    },
    /** `jumpMs`: how far the clock has moved, milliseconds; negative when it was set back. */
    async doubt(why: 'jumped' | 'start', jumpMs: number) {
      await retention.noteClock(HUB, 'clock.doubt', clock.now(), { why, jumpMs, confirmedUpTo })
      isDoubted = true
      log.warn(
        { why, jumpMs },
        'the clock was set: retention waits until it has been steady for 24 hours, or until `hub clock confirm`',
      )
    },
    async trust(at: number) {
      await retention.noteClock(HUB, 'clock.steady', at, { confirmedUpTo })
      isDoubted = false
    },
  }
}

/** Logs when the clock falls behind the newest payment, and when it has caught up: each once. */
function createBehindLog({ clock, log }: Pick<ClockRecordDeps, 'clock' | 'log'>) {
  let wasBehind = false
  return (isBehind: boolean, newestAt: number | undefined) => {
    if (isBehind && !wasBehind)
      log.error(
        { newest: newestAt === undefined ? undefined : isoInstant(newestAt), now: isoInstant(clock.now()) },
        'the clock is behind the newest payment: the hub is not ready until the clock is right, or until `hub clock confirm`',
      )
    if (!isBehind && wasBehind) log.info('the clock is not behind the newest payment any more')
    wasBehind = isBehind
  }
}

interface ClockWatchDeps extends ClockRecordDeps {
  /** The shortest time for which payments or events are kept: a start this long after the newest payment is doubted. */
  bridgeMs: number
  /** Whether no other hub works on this storage. */
  isAlone: boolean
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
export function createClockWatch(deps: ClockWatchDeps): ClockWatch {
  const { bridgeMs, isAlone, clock, log } = deps
  const record = createClockRecord(deps)
  const logBehind = createBehindLog(deps)
  /** From here jumps are measured. Undefined until the first look. */
  let base: Reading | undefined
  let noting: Promise<void> | undefined

  const read = (): Reading => ({ now: clock.now(), elapsed: clock.elapsed() })
  /** How far the clock has moved against elapsed time since the base. */
  const jumpOf = ({ now, elapsed }: Reading) => (base ? now - base.now - (elapsed - base.elapsed) : 0)
  const hasJumped = () => Math.abs(jumpOf(read())) > JUMP_MS
  /** Also when it was set back since the last look: the newest payment may be younger than that. */
  const isBehind = () =>
    jumpOf(read()) < -JUMP_MS ||
    (record.unconfirmedAt() ?? Number.NEGATIVE_INFINITY) > clock.now() + BEHIND_MS

  async function begin({ now }: Reading) {
    await record.readNewest()
    await record.readDoubt()
    if (record.isDoubted()) return log.warn('retention waits: the clock was set before this start')
    const jumpMs = now - (record.unconfirmedAt() ?? now)
    if (jumpMs > bridgeMs || jumpMs < -JUMP_MS) await record.doubt('start', jumpMs)
  }

  /** Reads the state, and ends a doubt after a steady time. */
  async function follow(at: Reading, steadySince: number) {
    const before = record.isDoubted()
    if (record.isReadDue(at.elapsed)) await record.readNewest()
    // The audit may be long. Nobody but an operator changes the state of a hub that is alone, and only to end this.
    if (before || !isAlone || isBehind()) await record.readDoubt()
    // The time for which the clock is steady begins with the doubt, also with that of another hub.
    if (record.isDoubted() && !before) base = at
    else if (record.isDoubted() && at.elapsed - steadySince >= STEADY_MS) await record.trust(at.now)
    if (before && !record.isDoubted()) log.info('the clock is trusted again: retention goes on')
  }

  async function look() {
    const at = read()
    const jumpMs = jumpOf(at)
    if (!base) {
      await begin(at)
      base = at
    } else if (Math.abs(jumpMs) > JUMP_MS) {
      // Also stored while the clock is in doubt: the newest row must have the newest jump.
      await record.readNewest()
      await record.doubt('jumped', jumpMs)
      base = at
    } else if (record.isDoubted() || record.isReadDue(at.elapsed)) await follow(at, base.elapsed)
    logBehind(isBehind(), record.newestAt())
    return record.isDoubted() ? undefined : at.now
  }

  function noted() {
    // A storage that is away stores no payment either. The next look tries again.
    const note = () => look().catch(() => undefined)
    if (hasJumped())
      noting ??= note().then(() => {
        noting = undefined
      })
    return noting
  }

  return {
    isDoubted: () => record.isDoubted() || hasJumped(),
    isBehind,
    look,
    clock: { ...clock, fresh: () => clock.fresh?.()?.then(noted) ?? noted() },
  }
}
