import type { AnnouncementLists } from '../../../announcements/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type TrailRow, toTrail } from '../../shared/payment-mapping.ts'
import { type Engine, rows } from '../act.ts'
import { TRAIL_COLUMNS } from '../payments/payment-records.ts'
import { boundsOf } from './numbered-rows.ts'
import { nextRows, placed, walkBack } from './walk-back.ts'

export function createAnnouncementLists(
  { reading, scanned }: Engine,
  rules: Pick<StorageRules, 'stages'>,
): AnnouncementLists {
  return {
    ofDevice: reading(function* ({ deviceId, serial }, from, page) {
      const found = yield* walkBack(
        page,
        yield* boundsOf('announcements', { from }),
        (window) =>
          rows<TrailRow & { rowId: number }>(
            'lists.announcements',
            `SELECT a.number AS "rowId", ${TRAIL_COLUMNS} FROM announcements a
             WHERE a.number >= $1 AND a.number < $2 AND a.queued_at >= $4
               AND a.device_number = (SELECT d.number FROM devices d WHERE d.id = $5)
             ORDER BY a.number DESC LIMIT $3`,
            [window.from, window.below, window.limit, from, deviceId],
          ),
        nextRows('announcements', scanned),
      )
      return placed(found, (row) => toTrail(rules, row, serial))
    }),
  }
}
