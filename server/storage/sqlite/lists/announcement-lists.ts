import { and, asc, desc, gte, max, min, sql } from 'drizzle-orm'
import type { AnnouncementLists } from '../../../announcements/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { toTrail } from '../../shared/payment-mapping.ts'
import { halving, numbersBetween, placed, walkBack } from '../../shared/walk-back.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { isFor } from '../rows/announcement-conditions.ts'
import { announcements } from '../schema/schema.ts'

export function createAnnouncementLists(
  { orm }: OpenDatabase,
  rules: Pick<StorageRules, 'stages'>,
): AnnouncementLists {
  const { rowId, queuedAt } = announcements
  const lowest = orm
    .select({ rowId: min(rowId) })
    .from(announcements)
    .prepare()
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
    ofDevice: reading(async ({ deviceId, serial }, from, page) => {
      const ends = { lowest: lowest.get()?.rowId ?? 0, highest: highest.get()?.rowId ?? 0 }
      const bounds = await numbersBetween(
        { from },
        ends,
        halving((number) => first.get({ number })),
      )
      const found = await walkBack(page, bounds, (window) => {
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
