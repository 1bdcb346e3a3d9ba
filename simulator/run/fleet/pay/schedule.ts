/** How many payments of a processor are due, and what has become of those that were. */
export interface Schedule {
  /** Until the ramp is over, only the shops that are ready get payments. */
  readonly isRamp: boolean
  /** Payments that are due and not decided. A part of one is carried over. */
  readonly owed: number
  /** The time up to which payments are counted as due. */
  readonly atMs: number
  readonly begun: number
  /** Payments that were due and not begun. */
  readonly heldBack: number
  /** Those of them whose shop was missing. */
  readonly withoutShop: number
}

export const FIRST_SCHEDULE: Schedule = {
  ...{ isRamp: true, owed: 0, atMs: 0 },
  ...{ begun: 0, heldBack: 0, withoutShop: 0 },
}

/** What becomes of one due payment. */
export type Decision = 'begin' | 'hold_back' | 'no_shop'

/** Nothing is due for the time before. */
export function startAt(schedule: Schedule, nowMs: number): Schedule {
  return { ...schedule, atMs: nowMs }
}

export function endRamp(schedule: Schedule): Schedule {
  return { ...schedule, isRamp: false }
}

/** Time passes, at so many payments a second. */
export function passUntil(schedule: Schedule, nowMs: number, perSecond: number): Schedule {
  const owed = schedule.owed + ((nowMs - schedule.atMs) / 1000) * perSecond
  return { ...schedule, owed, atMs: nowMs }
}

/** One due payment is decided. */
export function decide(schedule: Schedule, decision: Decision): Schedule {
  const owed = schedule.owed - 1
  if (decision === 'begin') return { ...schedule, owed, begun: schedule.begun + 1 }
  const withoutShop = schedule.withoutShop + (decision === 'no_shop' ? 1 : 0)
  return { ...schedule, owed, heldBack: schedule.heldBack + 1, withoutShop }
}

/** Whether the requested number of payments has begun; undefined: no limit. */
export function isDone({ begun }: Schedule, payments: number | undefined): boolean {
  return payments !== undefined && begun >= payments
}

export function isDue(schedule: Schedule, payments: number | undefined): boolean {
  return schedule.owed >= 1 && !isDone(schedule, payments)
}
