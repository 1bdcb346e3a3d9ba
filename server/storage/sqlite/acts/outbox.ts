import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Outbox } from '../../../announcements/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageObserver } from '../../ports.ts'
import { bareRead } from '../engine/bare.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { lookTogether } from '../engine/look-together.ts'
import { isFor, isOpen, isUnseen } from '../rows/announcement-conditions.ts'
import type { DeviceNumbers } from '../rows/command-numbers.ts'
import { readScreen } from '../rows/screen-state.ts'
import { createStageRecords } from '../rows/stage-rows.ts'
import { announcements, devices } from '../schema/schema.ts'
import { clockSetBack } from './clock-set-back.ts'

/**
 * What was sent may have been played although no ack has come: it is given this long after its time before
 * it counts as missed.
 */
const ACK_GRACE_MS = 60_000
/**
 * A welcome and an announcement take this long in vain, with all their resends (sb/1 7.3): what has more time left at a
 * birth is sent again, so that the device itself says what became of it.
 */
const ASKED_AGAIN_MS = 30_000
/** Announcements that one sweep ends, so that no sweep holds up the payments behind it. */
const EXPIRE_AT_ONCE = 1_000

export function createOutbox(
  { orm, commits }: OpenDatabase,
  vault: Vault,
  numbers: DeviceNumbers,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Outbox {
  const queued = { queuedAt: announcements.queuedAt }
  const screen = readScreen(orm, vault)
  const value = sql.placeholder
  const deviceIdOf = sql<string>`(select d.id from devices d where d.number = ${announcements.deviceNumber})`
  const stages = createStageRecords(orm)
  const openOf = orm
    .select({ announcement: announcements, serial: devices.serial })
    .from(announcements)
    .innerJoin(devices, eq(devices.number, announcements.deviceNumber))
    .where(and(isFor(value('deviceId')), isOpen, gt(announcements.expiresAt, value('at'))))
    .orderBy(asc(announcements.n))
    .prepare()

  const countOpen = orm.select({ open: count() }).from(announcements).where(isOpen).prepare()
  // All are fresh for the same time, so that the first to end is the oldest; by that there is an index.
  const oldestOpen = orm
    .select(queued)
    .from(announcements)
    .where(isOpen)
    .orderBy(asc(announcements.expiresAt))
    .limit(1)
    .prepare()

  /** Due at `now`: at once when it was never sent, after the grace when an ack may still come. */
  const due = and(
    isOpen,
    lte(announcements.expiresAt, value('now')),
    or(eq(announcements.stage, 'queued'), lte(announcements.expiresAt, value('givenUpAt'))),
  )
  const allDue = (atMost: number) =>
    orm.select({ number: announcements.number }).from(announcements).where(due).limit(atMost)
  /** Asked every second, mostly in vain. */
  const firstDue = bareRead(orm, { number: announcements.number }, allDue(1))
  const endDue = orm
    .update(announcements)
    .set({ stage: 'expired', expiredAt: sql`${value('now')}` })
    .where(inArray(announcements.number, allDue(EXPIRE_AT_ONCE)))
    .returning({ deviceId: deviceIdOf, ...queued })
    .prepare()

  return {
    nextNumber(deviceId) {
      return commits.write(() => numbers.takeFor(deviceId))
    },

    async highestNumber(deviceId) {
      return numbers.highest(deviceId)
    },

    async open(deviceId, now) {
      return openOf.all({ deviceId, at: now }).flatMap(({ announcement, serial }) => {
        const { id, n, stage, paidBill, lang, expiresAt } = announcement
        if (n === null) return []
        const amount = String(announcement.amount)
        return [{ id, deviceId, serial, n, stage, amount, paidBill, lang, expiresAt }]
      })
    },

    async markSent(id, now) {
      const { row, mayLeave } = await commits.write(() => {
        const row = stages.markSent({ id, at: now })
        return { row, mayLeave: row !== undefined || stages.isOpen(id) }
      })
      if (row) observe('sent', now - row.queuedAt)
      return mayLeave
    },

    isOpen: lookTogether(orm, stages.isOpen),

    async recordAck({ announcementId: id, commandNumber, deviceId, stage, reason = null }, now) {
      const step = { id, commandNumber, deviceId, at: now, reason }
      const row = await commits.write(() => stages.reach(stage, step))
      if (row) observe(stage, now - row.queuedAt)
      return row !== undefined
    },

    async backlog() {
      const oldest = oldestOpen.get()
      return { open: countOpen.get()?.open ?? 0, oldestQueuedAt: oldest?.queuedAt }
    },

    async expire(now, ackedBy = now) {
      const at = { now, givenUpAt: ackedBy - ACK_GRACE_MS }
      if (!firstDue.get(at)) return []
      const ended = await commits.write(() => endDue.all(at))
      for (const { queuedAt } of ended) observe('expired', now - queuedAt)
      return [...new Set(ended.map((row) => row.deviceId))]
    },

    clockSetBack: clockSetBack({ orm, commits }),

    async reconcile(deviceId, played, now) {
      const ended = await commits.write(() => {
        const mine = isFor(deviceId)
        const set = (values: Partial<typeof announcements.$inferInsert>, where: (SQL | undefined)[]) =>
          orm
            .update(announcements)
            .set(values)
            .where(and(mine, ...where))
            .returning(queued)
            .all()
        const upToPlayed = lte(announcements.n, played)
        const isLate = lte(announcements.expiresAt, now)
        const isEnding = lte(announcements.expiresAt, now + ASKED_AGAIN_MS)
        const wasReceived = and(isNotNull(announcements.receivedAt), upToPlayed)
        const wasPlayed = or(wasReceived, and(isNotNull(announcements.sentAt), eq(announcements.n, played)))

        const heard = set({ stage: 'played', playedAt: now }, [isOpen, isEnding, wasPlayed])
        const late = set({ stage: 'expired', expiredAt: now }, [isOpen, isLate])
        // What has a reason was refused by the device itself: that was not played, whatever its number.
        set({ missedShownAt: now }, [
          eq(announcements.stage, 'expired'),
          isNull(announcements.reason),
          isUnseen,
          wasPlayed,
        ])
        const unsent = and(mine, isOpen, eq(announcements.stage, 'queued'), upToPlayed)
        const low = orm
          .select({ number: announcements.number })
          .from(announcements)
          .where(unsent)
          .orderBy(asc(announcements.n))
        for (const { number } of low.all())
          orm
            .update(announcements)
            .set({ n: numbers.takeFor(deviceId) })
            .where(eq(announcements.number, number))
            .run()
        return { played: heard, expired: late }
      })
      for (const stage of ['played', 'expired'] as const)
        for (const { queuedAt } of ended[stage]) observe(stage, now - queuedAt)
    },

    async missed(deviceId) {
      const rows = orm
        .select({ id: announcements.id, amount: announcements.amount })
        .from(announcements)
        .where(and(isFor(deviceId), isUnseen))
        .all()
      if (rows.length === 0) return undefined
      const sum = rows.reduce((total, row) => total + BigInt(row.amount), 0n)
      return { announcementIds: rows.map((row) => row.id), count: rows.length, amount: String(sum) }
    },

    markMissedShown(ids, now) {
      return commits.write(() => {
        for (const id of ids)
          orm
            .update(announcements)
            .set({ missedShownAt: now })
            .where(and(eq(announcements.id, id), isUnseen))
            .run()
      })
    },

    screen: async (deviceId, now) => screen(deviceId, now),
  }
}
