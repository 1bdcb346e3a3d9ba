import type { Announcement } from '../../../../announcements/announcement.ts'
import { OPEN_AT_ONCE, type Outbox } from '../../../../announcements/ports.ts'
import type { Vault } from '../../../../security/vault.ts'
import type { MissedMarks } from '../../../acts/devices/missed-marks.ts'
import type { StorageObserver } from '../../../ports.ts'
import type { StorageRules } from '../../../rules.ts'
import { OPEN } from '../../../shared/announcement-conditions.ts'
import { FIRST_PAGE, PAGE } from '../../../shared/pages.ts'
import type { OpenDatabase } from '../../engine/database.ts'
import { reading } from '../../engine/map-driver-errors.ts'
import type { CommandNumbers } from '../../rows/command-numbers.ts'
import type { Owners } from '../../rows/owners.ts'
import { createScreenState } from '../../rows/screen-state.ts'
import { createStageRows } from '../../rows/stage-rows.ts'
import { createBegin } from './begin.ts'
import { createClockSetBack } from './clock-set-back.ts'
import { createMissed } from './missed.ts'

/** Announcements that one commit of the sweep ends: up to `limit` of those with the earliest end, not before `from`. */
interface ExpiryPage {
  from: number
  limit: number
}

type OpenRow = Omit<Announcement, 'deviceId' | 'amount'> & { amount: number }

interface OutboxParts {
  numbers: CommandNumbers
  owners: Owners
  marks: Pick<MissedMarks, 'markMissedShown'>
}

export function createOutbox(
  database: OpenDatabase,
  vault: Vault,
  { numbers, owners, marks }: OutboxParts,
  rules: StorageRules,
  observer: Pick<StorageObserver, 'stage'>,
): Outbox {
  const { sqlite, commits, writing } = database
  const { stage: observe } = observer
  const stages = createStageRows(sqlite, rules)
  const screen = createScreenState(sqlite, vault, rules)
  const openOf = sqlite.prepare<[deviceId: string, after: number, at: number], OpenRow>(
    `SELECT a.id, serial, n, stage, amount, paid_bill AS paidBill, a.lang, expires_at AS expiresAt
     FROM announcements a JOIN devices ON devices.number = device_number
     WHERE device_number = (SELECT d.number FROM devices d WHERE d.id = ?) AND ${OPEN} AND n > ? AND expires_at > ?
       AND active = 1
     ORDER BY n LIMIT ${OPEN_AT_ONCE}`,
  )
  const countOpen = sqlite.prepare<[], number>(`SELECT count(*) FROM announcements WHERE ${OPEN}`).pluck()
  // All announcements are fresh for the same time: the one that expires first is the oldest. There is an index for that.
  const oldestOpen = sqlite
    .prepare<[], number>(`SELECT queued_at FROM announcements WHERE ${OPEN} ORDER BY expires_at LIMIT 1`)
    .pluck()

  type Limits = ReturnType<StorageRules['dueLimits']>
  const due = (limit: string) =>
    `SELECT number FROM announcements
     WHERE ${OPEN} AND expires_at >= @from AND expires_at <= @unsent AND (stage = 'queued' OR expires_at <= @sent)
     ORDER BY expires_at LIMIT ${limit}`
  const firstDue = sqlite.prepare<[Limits & { from: number }], { number: number }>(due('1'))
  const expireDue = sqlite.prepare<
    [Limits & { now: number } & ExpiryPage],
    { deviceId: string; queuedAt: number; expiresAt: number }
  >(
    `UPDATE announcements SET stage = 'expired', expired_at = @now
     WHERE number IN (${due('@limit')})
     RETURNING (SELECT d.id FROM devices d WHERE d.number = device_number) AS deviceId,
       queued_at AS queuedAt, expires_at AS expiresAt`,
  )

  const waiting = sqlite
    .prepare<[at: number, before: number], string>(
      `SELECT d.id FROM announcements JOIN devices d ON d.number = device_number
       WHERE ${OPEN} AND expires_at > ? AND stage = 'queued' AND queued_at < ?`,
    )
    .pluck()

  /** Devices that have missed something, and that no answer has named yet: a later page may have failed. */
  const untold = new Set<string>()

  /** Expires one page, inside a commit. */
  function expirePage(limits: Limits, now: number, page: ExpiryPage) {
    const ended = expireDue.all({ ...limits, now, ...page })
    const from = ended.reduce((latest, { expiresAt }) => Math.max(latest, expiresAt), page.from)
    return { value: ended, next: ended.length < page.limit ? undefined : { from, limit: PAGE } }
  }

  const open = (deviceId: string, now: number, after = 0) =>
    openOf.all(deviceId, after, now).map((row) => ({ ...row, deviceId, amount: String(row.amount) }))

  return {
    nextNumber: writing((owner) => {
      const device = owners.rowIdOf(owner)
      return device === undefined ? undefined : numbers.take(device)
    }),

    highestNumber: reading(numbers.highest),

    open: reading(open),

    async take(owner, now, { after, isFree }) {
      const taken = await commits.write(() => {
        if (owners.rowIdOf(owner) === undefined) return undefined
        const found = open(owner.deviceId, now, after)
        const [first] = found
        const moved = isFree && first ? stages.markSent(first.id, now) : undefined
        if (first && moved) first.stage = 'sent'
        return { found, moved, highestNumber: numbers.highest(owner.deviceId) }
      })
      if (!taken) return undefined
      const { found, moved, highestNumber } = taken
      if (moved) observe('sent', now - moved.queuedAt)
      return { open: found, highestNumber }
    },

    async markSent(id, owner, now) {
      const { moved, result } = await commits.write(() => {
        if (owners.rowIdOf(owner) === undefined) return { moved: undefined, result: 'not_owner' as const }
        const moved = stages.markSent(id, now)
        return { moved, result: moved || stages.isOpen(id) ? ('sent' as const) : ('ended' as const) }
      })
      if (moved) observe('sent', now - moved.queuedAt)
      return result
    },

    isOpen: reading(stages.isOpen),

    async recordAck({ announcementId: id, commandNumber, deviceId, stage, reason = null, judgedBy }, now) {
      const step = { id, commandNumber, deviceId, at: now, reason }
      const { moved, isOut } = await commits.write(() => {
        if (judgedBy !== undefined && owners.rowIdOf({ deviceId, sessionId: judgedBy }) === undefined)
          return { moved: undefined, isOut: false }
        const moved = stages.reach(stage, step)
        return { moved, isOut: !moved && stage === 'played' && stages.takeOutOfMissed(step) }
      })
      if (isOut) return 'no_longer_missed'
      // A second `received` only lifts the mark of the first one.
      if (!moved || moved.reachedAt !== now) return 'nothing'
      observe(stage, now - moved.queuedAt)
      return 'moved'
    },

    backlog: reading(() => ({ open: countOpen.get() ?? 0, oldestQueuedAt: oldestOpen.get() })),

    expire: reading(async (now, ackedBy = now) => {
      const limits = rules.dueLimits(now, ackedBy)
      // The hub asks every second, and almost always nothing is due: then there is no commit.
      if (!firstDue.get({ ...limits, from: 0 }) && untold.size === 0) return []
      const expire = (page: ExpiryPage) => expirePage(limits, now, page)
      await commits.writePages({ from: 0, limit: FIRST_PAGE }, expire, (ended) => {
        for (const { deviceId, queuedAt } of ended) {
          observe('expired', now - queuedAt)
          untold.add(deviceId)
        }
      })
      const deviceIds = [...untold]
      untold.clear()
      return deviceIds
    }),

    clockSetBack: createClockSetBack(database, rules),

    begin: createBegin(database, vault, { numbers, screen, open }, rules, observer),

    leave: writing((all) => {
      for (const owner of all) owners.leave(owner)
    }),

    owns: reading((owner) => owners.rowIdOf(owner) !== undefined),

    // DISTINCT would build a table in memory at each call.
    waiting: reading((at, before) => [...new Set(waiting.all(at, before))]),

    missed: createMissed(database),

    markMissedShown: marks.markMissedShown,

    screen: reading(screen),
  }
}
