import type { AnnouncementLists } from '../../../announcements/ports.ts'
import { TRAIL_COLUMNS } from '../../acts/payments/columns.ts'
import type { StorageRules } from '../../rules.ts'
import { type TrailRow, toTrail } from '../../shared/payment-mapping.ts'
import { numbersBetween, placed, type Window, walkBack } from '../../shared/walk-back.ts'
import type { PostgresDatabase } from '../engine/database.ts'
import { endsOf, lowestAt, scan } from './numbered-rows.ts'

export function createAnnouncementLists(
  { read }: PostgresDatabase,
  rules: Pick<StorageRules, 'stages'>,
): AnnouncementLists {
  return {
    async ofDevice({ deviceId, serial }, from, page) {
      const bounds = await numbersBetween(
        { from },
        await endsOf(read, 'announcements'),
        lowestAt(read, 'announcements'),
      )
      const rows = (window: Window) =>
        read<TrailRow & { rowId: number }>(
          'lists.announcements',
          `SELECT a.number AS "rowId", ${TRAIL_COLUMNS} FROM announcements a
           WHERE a.number >= $1 AND a.number < $2 AND a.queued_at >= $4
             AND a.device_number = (SELECT d.number FROM devices d WHERE d.id = $5)
           ORDER BY a.number DESC LIMIT $3`,
          [window.from, window.below, window.limit, from, deviceId],
        )
      return placed(await walkBack(page, bounds, rows, scan), (row) => toTrail(rules, row, serial))
    },
  }
}
