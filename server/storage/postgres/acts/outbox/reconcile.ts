import type { StorageRules } from '../../../rules.ts'
import { OPEN, UNSEEN } from '../../../shared/announcement-conditions.ts'
import { firstCursor, pageOf, type ReconcileCursor } from '../../../shared/pages.ts'
import { withoutNulls } from '../../../shared/without-nulls.ts'
import type { Tx } from '../../engine/database.ts'
import { columns, groupBy } from '../../rows/columns.ts'
import { type LockedDevice, nextNumber } from './device-locks.ts'
import { STAGE_COLUMNS, type StageRow, storeStages } from './stage-rows.ts'

/** A locked device that is born. */
interface BornDevice {
  device: LockedDevice
  played: number
  at: number
  /** Undefined at the first page, in which is almost always everything. */
  cursor: ReconcileCursor | undefined
}

export interface Reconciled {
  played: { queuedAt: number }[]
  expired: { queuedAt: number }[]
  /** Where the next page begins. Undefined after the last one. */
  next: ReconcileCursor | undefined
}

type Row = StageRow & { place: number }

/**
 * Brings the announcements of locked devices in line with their births: of each a page of the open ones, and behind the
 * last one those that were missed. The rule is announcements/reconcile.ts.
 */
export async function reconcileAll(
  tx: Tx,
  born: readonly BornDevice[],
  rules: Pick<StorageRules, 'reconcile'>,
): Promise<Reconciled[]> {
  if (born.length === 0) return []
  const cursors = born.map(({ device, cursor }) => cursor ?? firstCursor(device.n))
  const devices = born.map(({ device }) => device.rowId)
  const [, open, unseen] = await Promise.all([
    lockPages(tx, devices, cursors),
    readOpenPages(tx, devices, cursors),
    readUnseenPages(tx, devices, cursors),
  ])
  const changed = new Set<StageRow>()

  const reconciled = born.map(({ device, played, at }, index): Reconciled => {
    const cursor = cursors[index]
    if (!cursor) return { played: [], expired: [], next: undefined }
    const place = index + 1
    const { rows, next } = pageOf(cursor, open.get(place) ?? [], () => unseen.get(place) ?? [])
    const found = rules.reconcile(
      rows.map((row) => ({ ...withoutNulls(row), row })),
      played,
      at,
    )
    const change = (rows: { row: StageRow }[], set: (row: StageRow) => Partial<StageRow>) => {
      for (const { row } of rows) changed.add(Object.assign(row, set(row)))
    }
    change(found.played, () => ({ stage: 'played', playedAt: at }))
    change(found.expired, () => ({ stage: 'expired', expiredAt: at }))
    change(found.shown, () => ({ missedShownAt: at }))
    change(found.renumbered, () => ({ n: nextNumber(device) }))
    change(found.voided, () => ({ receivedVoidAt: at }))
    return { played: found.played, expired: found.expired, next }
  })
  await storeStages(tx, [...changed])
  return reconciled
}

/**
 * Locks the rows of both pages in the order in which all acts lock announcements. The reads lock them by device: a sweep
 * that ends announcements of the same devices would meet them in another order.
 */
async function lockPages(tx: Tx, devices: number[], cursors: ReconcileCursor[]) {
  await tx.query(
    'outbox.begin lock',
    `SELECT FROM announcements WHERE number = ANY(ARRAY(
       SELECT a.number FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
         AS w(device_number, above, up_to, page, unseen_above)
       CROSS JOIN LATERAL (
         (SELECT number FROM announcements
          WHERE device_number = w.device_number AND ${OPEN} AND n > w.above AND n <= w.up_to ORDER BY n LIMIT w.page)
         UNION ALL
         (SELECT number FROM announcements
          WHERE device_number = w.device_number AND ${UNSEEN} AND number > w.unseen_above ORDER BY number LIMIT w.page)
       ) a
     )) ORDER BY number FOR NO KEY UPDATE`,
    [devices, ...columns(cursors.map(readable), 'openAfter', 'openUpTo', 'limit', 'unseenAfter')],
  )
}

/** A list at its end has nothing above its last number. */
const readable = (cursor: ReconcileCursor) => ({
  ...cursor,
  openAfter: cursor.openAfter ?? cursor.openUpTo,
})

async function readOpenPages(tx: Tx, devices: number[], cursors: ReconcileCursor[]) {
  const rows = await tx.query<Row>(
    'outbox.begin open',
    `SELECT w.place, a.* FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
       WITH ORDINALITY AS w(device_number, above, up_to, page, place)
     CROSS JOIN LATERAL (
       SELECT ${STAGE_COLUMNS} FROM announcements a
       WHERE device_number = w.device_number AND ${OPEN} AND n > w.above AND n <= w.up_to
       ORDER BY n LIMIT w.page FOR NO KEY UPDATE
     ) a
     ORDER BY w.place, a.n`,
    [devices, ...columns(cursors.map(readable), 'openAfter', 'openUpTo', 'limit')],
  )
  return groupBy(rows, ({ place }) => place)
}

async function readUnseenPages(tx: Tx, devices: number[], cursors: ReconcileCursor[]) {
  const rows = await tx.query<Row>(
    'outbox.begin unseen',
    `SELECT w.place, a.* FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
       WITH ORDINALITY AS w(device_number, above, page, place)
     CROSS JOIN LATERAL (
       SELECT ${STAGE_COLUMNS} FROM announcements a
       WHERE device_number = w.device_number AND ${UNSEEN} AND number > w.above
       ORDER BY number LIMIT w.page FOR NO KEY UPDATE
     ) a
     ORDER BY w.place, a."rowId"`,
    [devices, ...columns(cursors, 'unseenAfter', 'limit')],
  )
  return groupBy(rows, ({ place }) => place)
}
