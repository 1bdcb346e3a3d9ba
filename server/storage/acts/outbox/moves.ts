import type { Stage } from '../../../announcements/announcement.ts'
import { type Act, type Engine, forColumns, together } from '../act.ts'

/** What of an announcement decides how it may move. */
export interface StageRow {
  rowId: number
  n: number
  stage: Stage
  sentAt: number | null
  receivedAt: number | null
  receivedVoidAt: number | null
  missedShownAt: number | null
  expiresAt: number
  reason: string | null
  queuedAt: number
}

/** The columns of a StageRow, of `announcements a`. */
export const STAGE_COLUMNS = `a.number AS "rowId", a.n, a.stage, a.sent_at AS "sentAt", a.received_at AS "receivedAt",
  a.received_void_at AS "receivedVoidAt", a.missed_shown_at AS "missedShownAt", a.expires_at AS "expiresAt", a.reason,
  a.queued_at AS "queuedAt"`

export interface AckedRow
  extends Pick<
    StageRow,
    'rowId' | 'n' | 'stage' | 'receivedVoidAt' | 'missedShownAt' | 'reason' | 'queuedAt'
  > {
  id: string
  deviceId: string
}

/** A change of a locked announcement. An announcement may have several. */
export interface Move {
  to:
    | 'sent'
    | 'received'
    /** Its `received` counts again. */
    | 'receivedAgain'
    | 'played'
    | 'failed'
    | 'expired'
    /** It is not shown as missed. */
    | 'shown'
    | 'renumbered'
    /** Its `received` no longer counts. */
    | 'voided'
  rowId: number
  at: number
  /** Of `failed` and `expired`. */
  reason: string | null
  /** Of `renumbered`. */
  n?: number
}

type MovedColumns = Readonly<Record<'at' | 'reason' | 'n', string>>

/**
 * What each move sets, in the order in which those of one announcement come. Each sets only what changes: SQLite writes an
 * index entry anew when its column is named.
 */
export const MOVES: Readonly<Record<Move['to'], (row: MovedColumns) => string>> = {
  sent: ({ at }) => `stage = 'sent', sent_at = ${at}`,
  received: ({ at }) => `stage = 'received', received_at = ${at}`,
  receivedAgain: () => 'received_void_at = NULL',
  voided: ({ at }) => `received_void_at = ${at}`,
  played: ({ at }) => `stage = 'played', played_at = ${at}`,
  failed: ({ at, reason }) => `stage = 'failed', failed_at = ${at}, reason = ${reason}`,
  expired: ({ at, reason }) => `stage = 'expired', expired_at = ${at}, reason = ${reason}`,
  shown: ({ at }) => `missed_shown_at = ${at}`,
  renumbered: ({ n }) => `n = ${n}`,
}

/** The columns of an AckedRow, of `announcements a`. The device is found by its row id, which a payment has just read. */
export const ACKED_COLUMNS = `a.id, (SELECT d.id FROM devices d WHERE d.number = a.device_number) AS "deviceId",
  a.number AS "rowId", a.n, a.stage, a.received_void_at AS "receivedVoidAt", a.missed_shown_at AS "missedShownAt",
  a.reason, a.queued_at AS "queuedAt"`

export type Moves = ReturnType<typeof createMoves>

/** Reads announcements and moves them. */
export function createMoves({ perRow, forChange }: Pick<Engine, 'perRow' | 'forChange'>) {
  const lockById = perRow(
    'outbox lock announcements',
    { id: 'text' },
    ({ id }, given) =>
      `SELECT ${ACKED_COLUMNS} FROM ${given.rows} announcements a WHERE a.id = ${id}
       ORDER BY a.number ${forChange('a')}`,
  )
  const updates = forColumns(MOVES, (to) =>
    perRow(
      `outbox move ${to}`,
      { rowId: 'bigint', at: 'bigint', reason: 'text', n: 'bigint' },
      (row, { from }) => `UPDATE announcements SET ${MOVES[to](row)} ${from} WHERE number = ${row.rowId}`,
    ),
  )
  const order = Object.keys(MOVES) as Move['to'][]

  return {
    /** Locks these announcements until the commit, in the order in which all acts lock them, and reads them. */
    *lock(ids: readonly string[]): Act<Map<string, AckedRow>> {
      const found = yield* lockById<AckedRow>([...new Set(ids)].map((id) => ({ id })))
      return new Map(found.map((row) => [row.id, row]))
    },
    /** Stores moves of locked announcements. */
    *store(moves: readonly Move[]): Act<void> {
      if (moves.length > 0)
        yield* together(...order.map((to) => updates[to](moves.filter((move) => move.to === to))))
    },
  }
}
