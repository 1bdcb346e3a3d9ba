import { and, asc, desc, gte, max, sql } from 'drizzle-orm'
import type { AnnouncementLists } from '../../../announcements/ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { isFor } from '../rows/announcement-conditions.ts'
import { toTrail } from '../rows/payment-views.ts'
import { announcements } from '../schema/schema.ts'
import { numbersBetween, placed, walkBack } from './walk-back.ts'

export function createAnnouncementLists(
  { orm }: OpenDatabase,
  rules: Pick<StorageRules, 'stages'>,
): AnnouncementLists {
  const { rowId, queuedAt } = announcements
  const highest = orm
    .select({ rowId: max(rowId) })
    .from(announcements)
    .prepare()
  const first = orm
    .select({ rowId, at: queuedAt })
    .from(announcements)
    .where(gte(rowId, sql.placeholder('number')))
    .orderBy(asc(rowId))
    .limit(1)
    .prepare()

  return {
    ofDevice: reading(({ deviceId, serial }, from, page) => {
      const bounds = numbersBetween({ from }, highest.get()?.rowId ?? 0, (number) => first.get({ number }))
      const found = walkBack(page, bounds, (window) => {
        const inWindow = sql`${rowId} >= ${window.from} and ${rowId} < ${window.below}`
        return orm
          .select()
          .from(announcements)
          .where(and(inWindow, isFor(deviceId), gte(queuedAt, from)))
          .orderBy(desc(rowId))
          .limit(window.limit)
          .all()
      })
      return placed(found, (row) => toTrail(rules, row, serial))
    }),
  }
}
