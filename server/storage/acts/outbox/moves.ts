import type { Stage } from '../../../announcements/stages.ts'
import type { Act } from '../act.ts'

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

/** The columns of a StageRow. */
export const STAGE_COLUMNS = `number AS "rowId", n, stage, sent_at AS "sentAt", received_at AS "receivedAt",
  received_void_at AS "receivedVoidAt", missed_shown_at AS "missedShownAt", expires_at AS "expiresAt", reason,
  queued_at AS "queuedAt"`

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

/** Reads announcements and moves them. SQLite has statements of its own for it: two acks follow each payment. */
export interface Moves {
  /** Locks these announcements until the commit, in the order in which all acts lock them, and reads them. */
  lock(ids: readonly string[]): Act<Map<string, AckedRow>>
  /** Stores moves of locked announcements. */
  store(moves: readonly Move[]): Act<void>
}
