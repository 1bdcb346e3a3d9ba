import type { Clock } from '../platform/clock.ts'
import type { Actor } from '../security/actor.ts'
import type { AuditRecords } from '../storage/audit.ts'
import type { Storage } from '../storage/ports.ts'

/** Why retention does not go by the clock: see clock-watch.ts. */
export interface ClockDoubt {
  /** `start`: a hub has found it at its start. `jumped`: the clock was set while a hub ran. */
  why: 'start' | 'jumped'
  /** How far the clock has moved, or is from the newest payment. Negative: it was set back, or is behind. */
  jumpMs: number
  since: number
}

/** The stored state of the clock. Without a doubt, retention goes by it. */
export interface ClockState {
  doubt: ClockDoubt | undefined
  /** Payments up to here were there when an operator confirmed the clock: they prove nothing. */
  confirmedUpTo: number
}

export async function readClockState(audit: AuditRecords): Promise<ClockState> {
  const [newest] = await audit.list({ action: 'clock.', limit: 1 })
  const { why, jumpMs, confirmedUpTo } = newest?.details ?? {}
  return {
    doubt:
      newest?.action === 'clock.doubt'
        ? { why: why === 'start' ? 'start' : 'jumped', jumpMs: Number(jumpMs), since: newest.at }
        : undefined,
    confirmedUpTo: Number(confirmedUpTo ?? 0),
  }
}

/**
 * Says that the clock is right: retention goes on, beside a running hub within a minute. Returns the time that was
 * confirmed.
 */
export async function confirmClock({
  by,
  storage: { retention },
  clock,
}: {
  by: Actor
  storage: Pick<Storage, 'retention'>
  clock: Clock
}): Promise<number> {
  const at = clock.now()
  const confirmedUpTo = (await retention.newestReceivedAt()) ?? 0
  await retention.noteClock(by, 'clock.confirm', at, { confirmedUpTo })
  return at
}
