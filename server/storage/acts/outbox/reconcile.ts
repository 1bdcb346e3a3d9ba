import type { ReasonCode } from '../../../announcements/announcement.ts'
import type { BirthWitness, Reconciliation } from '../../../announcements/reconcile.ts'
import type { StorageRules } from '../../rules.ts'
import { OPEN, UNSEEN } from '../../shared/announcement-conditions.ts'
import { firstCursor, pageOf, type ReconcileCursor } from '../../shared/pages.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import { type Act, type Engine, together } from '../act.ts'
import { type LockedDevice, nextNumber } from './device-states.ts'
import { type Move, type Moves, STAGE_COLUMNS, type StageRow } from './moves.ts'

/** A locked device that is born. */
export interface BornDevice {
  device: LockedDevice
  witness: BirthWitness
  at: number
  /** Undefined at the first page, in which is almost always everything. */
  cursor: ReconcileCursor | undefined
}

type Ended = Reconciliation<{ queuedAt: number }>

export interface Reconciled extends Pick<Ended, 'played' | 'delivered' | 'expired'> {
  /** Where the next page begins. Undefined after the last one. */
  next: ReconcileCursor | undefined
}

type Row = StageRow & { place: number }

/**
 * Brings the announcements of locked devices in line with their births: of each a page of the open ones, and behind the
 * last one those that were missed. The rule is announcements/reconcile.ts.
 */
export function createReconcile(
  engine: Pick<Engine, 'perRow' | 'lockPerRow' | 'forChange' | 'open'>,
  announcements: Pick<Moves, 'store'>,
  rules: Pick<StorageRules, 'reconcile'>,
) {
  const { lock, readOpen, readUnseen } = prepare(engine)

  return function* reconcile(born: readonly BornDevice[]): Act<Reconciled[]> {
    const pages = born.map((one, place) => {
      const { cursor = firstCursor(one.device.n) } = one
      // A list at its end has nothing above its last number.
      const openAfter = cursor.openAfter ?? cursor.openUpTo
      return { ...one, cursor, ...cursor, place, deviceRowId: one.device.rowId, openAfter }
    })
    const [, open, unseen] = yield* together(lock(pages), readOpen<Row>(pages), readUnseen<Row>(pages))
    const [openOf, unseenOf] = [open, unseen].map((rows) => Map.groupBy(rows, ({ place }) => place))
    const moves: Move[] = []
    const reconciled = pages.map(({ device, witness, at, cursor, place }): Reconciled => {
      const opened = (openOf?.get(place) ?? []).toSorted((a, b) => a.n - b.n)
      const missed = (unseenOf?.get(place) ?? []).toSorted((a, b) => a.rowId - b.rowId)
      const { rows, next } = pageOf(cursor, opened, missed)
      const found = rules.reconcile(rows.map(withoutNulls), witness, at)
      const move = (
        to: Move['to'],
        these: readonly { rowId: number }[],
        reason: ReasonCode | null = null,
      ) => {
        for (const { rowId } of these)
          moves.push({ to, rowId, at, reason, ...(to === 'renumbered' && { n: nextNumber(device) }) })
      }
      move('played', found.played)
      move('expired', found.expired)
      move('shown', found.shown)
      move('renumbered', found.renumbered)
      move('voided', found.voided)
      move('delivered', found.delivered)
      move('expired', found.unconfirmed, 'unconfirmed')
      move('resent', found.resent)
      move('repeated', found.repeated)
      const { played, delivered, unconfirmed } = found
      return { played, delivered, expired: [...found.expired, ...unconfirmed], next }
    })
    yield* announcements.store(moves)
    return reconciled
  }
}

/** In PostgreSQL, the reads lock the rows, too: what has waited for the lock of an announcement is read as it is then. */
function prepare({
  perRow,
  lockPerRow,
  forChange,
  open: opened,
}: Pick<Engine, 'perRow' | 'lockPerRow' | 'forChange' | 'open'>) {
  const page = {
    ...({ place: 'bigint', deviceRowId: 'bigint', openAfter: 'bigint', openUpTo: 'bigint' } as const),
    ...({ unseenAfter: 'bigint', limit: 'bigint' } as const),
  }
  type Page = Readonly<Record<keyof typeof page, string>>
  const open = (row: Page, columns: string) =>
    `SELECT ${columns} FROM ${opened.from}
     WHERE ${opened.by}.device_number = ${row.deviceRowId} AND ${OPEN}
       AND ${opened.by}.n > ${row.openAfter} AND ${opened.by}.n <= ${row.openUpTo}
     ORDER BY ${opened.by}.n LIMIT ${row.limit}`
  const unseen = (row: Page, columns: string) =>
    `SELECT ${columns} FROM announcements a
     WHERE a.device_number = ${row.deviceRowId} AND ${UNSEEN} AND a.number > ${row.unseenAfter}
     ORDER BY a.number LIMIT ${row.limit}`
  const read = (name: string, list: typeof open) =>
    perRow(
      name,
      page,
      (row, { each }) =>
        `SELECT ${row.place} AS place, page.* FROM ${each} (${list(row, STAGE_COLUMNS)} ${forChange('a')}) page`,
    )
  return {
    /**
     * Locks the rows of both pages in the order in which all acts lock announcements. The reads lock them by device: a
     * sweep that ends announcements of the same devices would meet them in another order.
     */
    lock: lockPerRow(
      'outbox.begin lock',
      page,
      (row, { each }) =>
        `SELECT FROM announcements WHERE number = ANY(ARRAY(
           SELECT page.number FROM ${each} (
             (${open(row, 'a.number')}) UNION ALL (${unseen(row, 'a.number')})
           ) page
         )) ORDER BY number ${forChange('announcements')}`,
    ),
    readOpen: read('outbox.begin open', open),
    readUnseen: read('outbox.begin unseen', unseen),
  }
}
