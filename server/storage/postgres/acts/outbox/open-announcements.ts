import type { Announcement } from '../../../../announcements/announcement.ts'
import { OPEN_AT_ONCE } from '../../../../announcements/ports.ts'
import { OPEN } from '../../../shared/announcement-conditions.ts'
import type { Tx } from '../../engine/database.ts'
import { columns, groupBy } from '../../rows/columns.ts'

interface Row extends Omit<Announcement, 'amount'> {
  place: number
  rowId: number
  amount: number
}

/** An open announcement, with the number of its row. */
export interface OpenAnnouncement {
  rowId: number
  announcement: Announcement
}

/** The announcements of each device as `Outbox.open` reads them, in the order of `wanted`. */
export async function readOpen(
  query: Tx['query'],
  wanted: readonly { deviceId: string; at: number; after: number }[],
): Promise<OpenAnnouncement[][]> {
  const rows = await query<Row>(
    'outbox.open',
    `SELECT w.place, a.number AS "rowId", a.id, d.id AS "deviceId", d.serial, a.n, a.stage, a.amount,
       a.paid_bill AS "paidBill", a.lang, a.expires_at AS "expiresAt"
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS w(device_id, read_at, above, place)
     JOIN devices d ON d.id = w.device_id AND d.active
     CROSS JOIN LATERAL (
       SELECT * FROM announcements
       WHERE device_number = d.number AND ${OPEN} AND n > w.above AND expires_at > w.read_at
       ORDER BY n LIMIT ${OPEN_AT_ONCE}
     ) a
     ORDER BY w.place, a.n`,
    columns(wanted, 'deviceId', 'at', 'after'),
  )
  const found = groupBy(rows, ({ place }) => place)
  return wanted.map((_, index) =>
    (found.get(index + 1) ?? []).map(({ place: _place, rowId, amount, ...row }) => ({
      rowId,
      announcement: { ...row, amount: String(amount) },
    })),
  )
}
