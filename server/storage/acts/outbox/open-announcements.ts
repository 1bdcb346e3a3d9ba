import type { Announcement } from '../../../announcements/announcement.ts'
import { OPEN_AT_ONCE } from '../../../announcements/ports.ts'
import { OPEN } from '../../shared/announcement-conditions.ts'
import type { Act, Engine } from '../act.ts'

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

/** Reads the announcements of each device as `Outbox.open` does, in the order of `wanted`. */
export type ReadOpen = (
  wanted: readonly { deviceId: string; at: number; after: number }[],
) => Act<OpenAnnouncement[][]>

export function createReadOpen({ perRow, open }: Pick<Engine, 'perRow' | 'open'>): ReadOpen {
  const read = perRow(
    'outbox.open',
    { place: 'bigint', deviceId: 'text', at: 'bigint', after: 'bigint' },
    (wanted, { each }) =>
      `SELECT ${wanted.place} AS place, page.number AS "rowId", page.id, d.id AS "deviceId", d.serial, page.n,
         page.stage, page.amount, page.paid_bill AS "paidBill", page.lang, page.expires_at AS "expiresAt"
       FROM ${each} (
         SELECT a.number, a.id, a.device_number, a.n, a.stage, a.amount, a.paid_bill, a.lang, a.expires_at
         FROM ${open.from}
         WHERE ${open.by}.device_number = (SELECT number FROM devices WHERE id = ${wanted.deviceId}) AND ${OPEN}
           AND ${open.by}.n > ${wanted.after} AND a.expires_at > ${wanted.at}
         ORDER BY ${open.by}.n LIMIT ${OPEN_AT_ONCE}
       ) page JOIN devices d ON d.number = page.device_number AND d.active`,
  )

  return function* readOpen(wanted) {
    const found = yield* read<Row>(wanted.map((one, place) => ({ ...one, place })))
    const ofPlaces = Map.groupBy(found, ({ place }) => place)
    return wanted.map((_, index) =>
      (ofPlaces.get(index) ?? [])
        .toSorted((a, b) => a.n - b.n)
        .map(({ place, rowId, amount, ...row }) => ({
          rowId,
          announcement: { ...row, amount: String(amount) },
        })),
    )
  }
}
