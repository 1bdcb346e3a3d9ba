import type { SoundProof, Stage } from '../../../announcements/announcement.ts'
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
  mayRepeat: number | null
  queuedAt: number
}

/** The columns of a StageRow, of `announcements a`. */
export const STAGE_COLUMNS = `a.number AS "rowId", a.n, a.stage, a.sent_at AS "sentAt", a.received_at AS "receivedAt",
  a.received_void_at AS "receivedVoidAt", a.missed_shown_at AS "missedShownAt", a.expires_at AS "expiresAt", a.reason,
  a.may_repeat AS "mayRepeat", a.queued_at AS "queuedAt"`

export interface AckedRow
  extends Pick<
    StageRow,
    'rowId' | 'n' | 'stage' | 'receivedVoidAt' | 'missedShownAt' | 'reason' | 'queuedAt'
  > {
  id: string
  deviceId: string
  proof: SoundProof | null
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
    /** As `received` and `played`, with a proof. */
    | 'taken'
    | 'heard'
    | 'delivered'
    /** Its proof is better than was known. */
    | 'proven'
    /** It is sent again to a speaker that knows what it has had. */
    | 'resent'
    /** It is sent again to a speaker that may say it again. */
    | 'repeated'
  rowId: number
  at: number
  /** Of `failed` and `expired`. */
  reason: string | null
  /** Of `renumbered`. */
  n?: number
  /** Of `taken`, `heard`, `delivered` and `proven`. Null keeps what is known. */
  proof?: SoundProof | null
}

type MovedColumns = Readonly<Record<'at' | 'reason' | 'n' | 'proof', string>>

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
  taken: ({ at, proof }) => `stage = 'received', received_at = ${at}, proof = ${proof}`,
  heard: ({ at, proof }) => `stage = 'played', played_at = ${at}, proof = ${proof}`,
  // Its time stands in played_at: so the indexes of what is open and what is missed hold for it, too.
  delivered: ({ at, proof }) =>
    `stage = 'delivered', played_at = ${at}, proof = coalesce(${proof}, announcements.proof)`,
  proven: ({ proof }) => `proof = ${proof}`,
  resent: () => 'may_repeat = 0',
  repeated: () => 'may_repeat = 1',
}

/** The moves with a proof: only those of speakers of other makers. */
const PROVING: readonly Move['to'][] = ['taken', 'heard', 'delivered', 'proven']

/** The columns of an AckedRow, of `announcements a`. The device is found by its row id, which a payment has just read. */
export const ACKED_COLUMNS = `a.id, (SELECT d.id FROM devices d WHERE d.number = a.device_number) AS "deviceId",
  a.number AS "rowId", a.n, a.stage, a.received_void_at AS "receivedVoidAt", a.missed_shown_at AS "missedShownAt",
  a.reason, a.proof, a.queued_at AS "queuedAt"`

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
  const columns = { rowId: 'bigint', at: 'bigint', reason: 'text', n: 'bigint' } as const
  const update = (to: Move['to'], row: MovedColumns & { rowId: string }, from: string) =>
    `UPDATE announcements SET ${MOVES[to](row)} ${from} WHERE number = ${row.rowId}`
  const updates = forColumns(MOVES, (to) =>
    PROVING.includes(to)
      ? perRow(`outbox move ${to}`, { ...columns, proof: 'text' }, (row, { from }) => update(to, row, from))
      : perRow(`outbox move ${to}`, columns, (row, { from }) => update(to, { ...row, proof: 'NULL' }, from)),
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
