import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { AuditRecords } from '../storage/audit.ts'
import type { Retention } from '../storage/ports.ts'

const HOUR_MS = 60 * 60_000
/** A clock that moves further than this against elapsed time was set. NTP corrects a running clock by less. */
const JUMP_MS = HOUR_MS
/** Retention trusts a clock again that has not jumped for so long. */
const STEADY_MS = 24 * HOUR_MS
/** How often a hub reads whether another hub, or the operator, has changed the state. */
const READ_EVERY_MS = 60_000

export interface ClockWatch {
  /** Compares the clock with elapsed time and with the stored state. Resolves to whether retention may delete now. */
  look(): Promise<boolean>
  /** Whether retention waits, by the last look. */
  isDoubted(): boolean
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
  isAlone: boolean
  clock: Clock
  log: Logger
}): ClockWatch {
  /** The clock and elapsed time, from which jumps are measured. Undefined until the first look. */
  let base: { now: number; elapsed: number } | undefined
  let doubted = false
  let readAt = 0

  async function readDoubted(): Promise<boolean> {
    const [newest] = await audit.list({ action: 'clock.', limit: 1 })
    readAt = clock.elapsed()
    return newest?.action === 'clock.doubt'
  }

  async function judgeStart(now: number): Promise<ClockDoubt | undefined> {
    const newestAt = await retention.newestReceivedAt()
    const jumpMs = newestAt === undefined ? 0 : now - newestAt
    return jumpMs > bridgeMs || jumpMs < -JUMP_MS ? { why: 'start', jumpMs } : undefined
  }

  async function doubt(found: ClockDoubt) {
    await retention.noteClock('clock.doubt', clock.now(), { ...found })
    doubted = true
    log.warn(
      found,
      'the clock was set: retention waits until it has been steady for 24 hours, or until `hub clock confirm`',
    )
  }

  return {
    isDoubted: () => doubted,

    async look() {
      const { now, elapsed } = { now: clock.now(), elapsed: clock.elapsed() }
      if (!base) {
        doubted = await readDoubted()
        const found = doubted ? undefined : await judgeStart(now)
        if (found) await doubt(found)
        else if (doubted) log.warn('retention waits: the clock was set before this start')
        base = { now, elapsed }
        return !doubted
      }
      const jumpMs = now - base.now - (elapsed - base.elapsed)
      if (Math.abs(jumpMs) > JUMP_MS) {
        // Noted again when the clock is doubted already: the newest row tells of the newest jump.
        await doubt({ why: 'jumped', jumpMs })
        base = { now, elapsed }
        return false
      }
      if (doubted || (!isAlone && elapsed - readAt >= READ_EVERY_MS)) {
        const before = doubted
        doubted = await readDoubted()
        // The time for which the clock is steady begins with the doubt, also with that of another hub.
        if (doubted && !before) base = { now, elapsed }
        else if (doubted && elapsed - base.elapsed >= STEADY_MS) {
          await retention.noteClock('clock.steady', now, {})
          doubted = false
        }
        if (before && !doubted) log.info('the clock is trusted again: retention goes on')
      }
      return !doubted
    },
  }
}
