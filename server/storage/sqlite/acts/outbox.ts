import { and, asc, count, eq, gt, sql } from 'drizzle-orm'
import type { Outbox } from '../../../announcements/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { isFor, isOpen, isUnseen, OPEN } from '../rows/announcement-conditions.ts'
import type { CommandNumbers } from '../rows/command-numbers.ts'
import { createScreenState } from '../rows/screen-state.ts'
import { createStageRows } from '../rows/stage-rows.ts'
import { announcements, devices } from '../schema/schema.ts'
import { createClockSetBack } from './clock-set-back.ts'
import { createReconcile } from './reconcile.ts'

/** Announcements that one sweep ends. More would hold up the payments that wait for their commit. */
const EXPIRED_AT_ONCE = 1_000

export function createOutbox(
  database: OpenDatabase,
  vault: Vault,
  numbers: CommandNumbers,
  rules: StorageRules,
  observer: Pick<StorageObserver, 'stage'>,
): Outbox {
  const { orm, commits, writing } = database
  const { stage: observe } = observer
  const stages = createStageRows(orm, rules)
  const sqlite = orm.$client
  const openOf = orm
    .select({ announcement: announcements, serial: devices.serial })
    .from(announcements)
    .innerJoin(devices, eq(devices.rowId, announcements.deviceRowId))
    .where(
      and(isFor(sql.placeholder('deviceId')), isOpen, gt(announcements.expiresAt, sql.placeholder('at'))),
    )
    .orderBy(asc(announcements.n))
    .prepare()
  const unseenOf = orm
    .select({ id: announcements.id, amount: announcements.amount })
    .from(announcements)
    .where(and(isFor(sql.placeholder('deviceId')), isUnseen))
    .prepare()
  const setShown = orm
    .update(announcements)
    .set({ missedShownAt: sql`${sql.placeholder('now')}` })
    .where(and(eq(announcements.id, sql.placeholder('id')), isUnseen))
    .prepare()

  const countOpen = orm.select({ open: count() }).from(announcements).where(isOpen).prepare()
  // All announcements are fresh for the same time: the one that expires first is the oldest. There is an index for that.
  const oldestOpen = orm
    .select({ queuedAt: announcements.queuedAt })
    .from(announcements)
    .where(isOpen)
    .orderBy(asc(announcements.expiresAt))
    .limit(1)
    .prepare()

  type Limits = ReturnType<StorageRules['dueLimits']>
  const due = (limit: number) =>
    `SELECT number FROM announcements
     WHERE ${OPEN} AND expires_at <= @unsent AND (stage = 'queued' OR expires_at <= @sent) LIMIT ${limit}`
  const firstDue = sqlite.prepare<[Limits], { number: number }>(due(1))
  const expireDue = sqlite.prepare<[Limits & { now: number }], { deviceId: string; queuedAt: number }>(
    `UPDATE announcements SET stage = 'expired', expired_at = @now
     WHERE number IN (${due(EXPIRED_AT_ONCE)})
     RETURNING (SELECT d.id FROM devices d WHERE d.number = device_number) AS deviceId, queued_at AS queuedAt`,
  )

  return {
    nextNumber: writing(numbers.takeFor),

    highestNumber: reading(numbers.highest),

    open: reading((deviceId, now) =>
      openOf.all({ deviceId, at: now }).flatMap(({ announcement, serial }) => {
        const { id, n, stage, paidBill, lang, expiresAt } = announcement
        if (n === null) return []
        const amount = String(announcement.amount)
        return [{ id, deviceId, serial, n, stage, amount, paidBill, lang, expiresAt }]
      }),
    ),

    async markSent(id, now) {
      const { moved, maySend } = await commits.write(() => {
        const moved = stages.markSent(id, now)
        return { moved, maySend: moved !== undefined || stages.isOpen(id) }
      })
      if (moved) observe('sent', now - moved.queuedAt)
      return maySend
    },

    isOpen: reading(stages.isOpen),

    async recordAck({ announcementId: id, commandNumber, deviceId, stage, reason = null }, now) {
      const step = { id, commandNumber, deviceId, at: now, reason }
      const moved = await commits.write(() => stages.reach(stage, step))
      if (moved) observe(stage, now - moved.queuedAt)
      return moved !== undefined
    },

    backlog: reading(() => {
      const oldest = oldestOpen.get()
      return { open: countOpen.get()?.open ?? 0, oldestQueuedAt: oldest?.queuedAt }
    }),

    expire: reading(async (now, ackedBy = now) => {
      const limits = rules.dueLimits(now, ackedBy)
      // The hub asks every second, and almost always nothing is due: then there is no commit.
      if (!firstDue.get(limits)) return []
      const ended = await commits.write(() => expireDue.all({ ...limits, now }))
      for (const { queuedAt } of ended) observe('expired', now - queuedAt)
      return [...new Set(ended.map((row) => row.deviceId))]
    }),

    clockSetBack: createClockSetBack(database, rules),

    reconcile: createReconcile(database, numbers, rules, observer),

    missed: reading((deviceId) => {
      const rows = unseenOf.all({ deviceId })
      if (rows.length === 0) return undefined
      const sum = rows.reduce((total, row) => total + BigInt(row.amount), 0n)
      return { announcementIds: rows.map((row) => row.id), count: rows.length, amount: String(sum) }
    }),

    markMissedShown: writing((ids, now) => {
      for (const id of ids) setShown.run({ id, now })
    }),

    screen: reading(createScreenState(orm, vault, rules)),
  }
}
