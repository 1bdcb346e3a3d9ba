import type { Stage } from '../../../announcements/stages.ts'
import { type Act, type Engine, together } from '../act.ts'

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

export interface AckedRow extends StageRow {
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
  reason?: string | undefined
  /** Of `renumbered`. */
  n?: number
}

const MOVED = { rowId: 'bigint', at: 'bigint', reason: 'text', n: 'bigint' } as const

export type Moves = ReturnType<typeof createMoves>

/** Reads announcements and moves them, many in one commit. */
export function createMoves({ perRow, forChange }: Pick<Engine, 'perRow' | 'forChange'>) {
  // The device is found by its row id: a payment has just read that row, but not the index on the device's id.
  const lockById = perRow(
    'outbox lock announcements',
    { id: 'text' },
    ({ id }, { rows }) =>
      `SELECT a.id, (SELECT d.id FROM devices d WHERE d.number = a.device_number) AS "deviceId", ${STAGE_COLUMNS}
       FROM ${rows} announcements a WHERE a.id = ${id} ORDER BY a.number ${forChange('a')}`,
  )

  // Each sets only what changes: SQLite writes an index entry anew when its column is named.
  const update = (to: Move['to'], set: (row: Readonly<Record<keyof typeof MOVED, string>>) => string) =>
    perRow(
      `outbox move ${to}`,
      MOVED,
      (row, { from }) => `UPDATE announcements SET ${set(row)} ${from} WHERE number = ${row.rowId}`,
    )
  /** Of one announcement, these come in this order. */
  const updates = {
    sent: update('sent', ({ at }) => `stage = 'sent', sent_at = ${at}`),
    received: update('received', ({ at }) => `stage = 'received', received_at = ${at}`),
    receivedAgain: update('receivedAgain', () => 'received_void_at = NULL'),
    voided: update('voided', ({ at }) => `received_void_at = ${at}`),
    played: update('played', ({ at }) => `stage = 'played', played_at = ${at}`),
    failed: update('failed', ({ at, reason }) => `stage = 'failed', failed_at = ${at}, reason = ${reason}`),
    expired: update(
      'expired',
      ({ at, reason }) => `stage = 'expired', expired_at = ${at}, reason = ${reason}`,
    ),
    shown: update('shown', ({ at }) => `missed_shown_at = ${at}`),
    renumbered: update('renumbered', ({ n }) => `n = ${n}`),
  }
  const order = Object.keys(updates) as Move['to'][]

  return {
    /** Locks these announcements until the commit, in the order in which all acts lock them, and reads them. */
    *lock(ids: readonly string[]): Act<Map<string, AckedRow>> {
      const found = yield* lockById<AckedRow>([...new Set(ids)].map((id) => ({ id })))
      return new Map(found.map((row) => [row.id, row]))
    },

    /** Stores moves of locked announcements. */
    *store(moves: readonly Move[]): Act<void> {
      const parts = order.flatMap((to) => {
        const these = moves.filter((move) => move.to === to)
        return these.length === 0 ? [] : updates[to](these)
      })
      yield* together(...parts)
    },
  }
}
