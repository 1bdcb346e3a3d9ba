import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Stage } from '../../../announcements/announcement.ts'
import { bareRead } from '../engine/bare.ts'
import type { Orm } from '../engine/database.ts'
import { announcements } from '../schema/schema.ts'
import { isOpen } from './announcement-conditions.ts'

/** The stages from which each may be reached: forward only. */
const BEFORE = {
  sent: ['queued'],
  received: ['queued', 'sent'],
  played: ['queued', 'sent', 'received'],
  failed: ['queued', 'sent', 'received'],
  expired: ['queued', 'sent', 'received'],
} as const satisfies Partial<Record<Stage, Stage[]>>

/** A step of one announcement. It counts only for the device and the command number of the announcement. */
type Step = {
  id: string
  commandNumber: number
  deviceId: string
  at: number
  reason: string | null
}

/** Moves single announcements forward, inside a commit: the statements of a speaker's acks. */
export interface StageRecords {
  markSent(step: Pick<Step, 'id' | 'at'>): { queuedAt: number } | undefined
  /** Whether an announcement is not at its final stage. */
  isOpen(id: string): boolean
  /** Undefined when the announcement was already at that stage or past it, or when it has another number. */
  reach(stage: Exclude<keyof typeof BEFORE, 'sent'>, step: Step): { queuedAt: number } | undefined
}

export function createStageRecords(orm: Orm): StageRecords {
  const queued = { queuedAt: announcements.queuedAt }
  const value = sql.placeholder
  const at = sql`${value('at')}`
  const mayFollow = (stage: keyof typeof BEFORE) =>
    and(eq(announcements.id, value('id')), inArray(announcements.stage, [...BEFORE[stage]]))

  const markSent = bareRead(
    orm,
    queued,
    orm.update(announcements).set({ stage: 'sent', sentAt: at }).where(mayFollow('sent')).returning(queued),
  )
  const open = bareRead(
    orm,
    queued,
    orm
      .select(queued)
      .from(announcements)
      .where(and(eq(announcements.id, value('id')), isOpen)),
  )
  // By the device's number, whose row a payment has just read; its id would be looked up in an index that no payment reads.
  const isOwn = sql`(select d.id from devices d where d.number = ${announcements.deviceNumber}) = ${value('deviceId')}`
  const step = (
    stage: keyof typeof BEFORE,
    values: Partial<Record<'receivedAt' | 'playedAt' | 'failedAt' | 'expiredAt' | 'reason', SQL>>,
  ) =>
    bareRead(
      orm,
      queued,
      orm
        .update(announcements)
        .set({ stage, ...values })
        .where(and(mayFollow(stage), isOwn, eq(announcements.n, value('commandNumber'))))
        .returning(queued),
    )
  const reason = sql`${value('reason')}`
  const steps = {
    received: step('received', { receivedAt: at }),
    played: step('played', { playedAt: at }),
    failed: step('failed', { failedAt: at, reason }),
    expired: step('expired', { expiredAt: at, reason }),
  }

  return {
    markSent: (sent) => markSent.get(sent),
    isOpen: (id) => open.get({ id }) !== undefined,
    reach: (stage, reached) => steps[stage].get(reached),
  }
}
