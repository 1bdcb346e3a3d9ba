import type { AckOutcome, AckStep } from '../../../../announcements/ports.ts'
import type { Stage } from '../../../../announcements/stages.ts'
import type { StorageRules } from '../../../rules.ts'
import type { Tx } from '../../engine/database.ts'
import { columns } from '../../rows/columns.ts'

/** What of an announcement moves. */
export interface StageRow {
  rowId: number
  n: number
  stage: Stage
  sentAt: number | null
  receivedAt: number | null
  receivedVoidAt: number | null
  playedAt: number | null
  failedAt: number | null
  expiredAt: number | null
  missedShownAt: number | null
  reason: string | null
  queuedAt: number
  expiresAt: number
}

/** The columns of a StageRow. */
export const STAGE_COLUMNS = `a.number AS "rowId", a.n, a.stage, a.sent_at AS "sentAt", a.received_at AS "receivedAt",
  a.received_void_at AS "receivedVoidAt", a.played_at AS "playedAt", a.failed_at AS "failedAt",
  a.expired_at AS "expiredAt", a.missed_shown_at AS "missedShownAt", a.reason, a.queued_at AS "queuedAt",
  a.expires_at AS "expiresAt"`

export interface AckedRow extends StageRow {
  id: string
  deviceId: string
}

/** Locks these announcements until the commit, in the order in which all acts lock them, and reads them. */
export async function lockAnnouncements(tx: Tx, ids: readonly string[]): Promise<Map<string, AckedRow>> {
  const rows = await tx.query<AckedRow>(
    'outbox lock announcements',
    `SELECT a.id, d.id AS "deviceId", ${STAGE_COLUMNS}
     FROM announcements a JOIN devices d ON d.number = a.device_number
     WHERE a.id = ANY($1::text[])
     ORDER BY a.number FOR NO KEY UPDATE OF a`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Stores what has moved of locked announcements. */
export async function storeStages(tx: Tx, rows: readonly StageRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    'outbox store stages',
    `UPDATE announcements a SET n = v.n, stage = v.stage, sent_at = v.sent_at, received_at = v.received_at,
       received_void_at = v.received_void_at, played_at = v.played_at, failed_at = v.failed_at,
       expired_at = v.expired_at, missed_shown_at = v.missed_shown_at, reason = v.reason
     FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
       $8::bigint[], $9::bigint[], $10::bigint[], $11::text[])
       AS v(number, n, stage, sent_at, received_at, received_void_at, played_at, failed_at, expired_at,
         missed_shown_at, reason)
     WHERE a.number = v.number`,
    [
      ...columns(rows, 'rowId', 'n', 'stage', 'sentAt', 'receivedAt', 'receivedVoidAt', 'playedAt'),
      ...columns(rows, 'failedAt', 'expiredAt', 'missedShownAt', 'reason'),
    ],
  )
}

/** Moves a locked announcement as an ack says. Unless it is `nothing`, the row changes, and `storeStages` stores it. */
export function reach(
  row: StageRow,
  { stage, reason }: Pick<AckStep, 'stage' | 'reason'>,
  at: number,
  { stagesBefore }: Pick<StorageRules, 'stagesBefore'>,
): AckOutcome | 'received_again' {
  if (stagesBefore(stage).includes(row.stage)) {
    row.stage = stage
    row[`${stage}At`] = at
    if (stage === 'failed' || stage === 'expired') row.reason = reason ?? null
    return 'moved'
  }
  if (stage === 'received' && row.stage === 'received' && row.receivedVoidAt !== null) {
    row.receivedVoidAt = null
    return 'received_again'
  }
  const isMissed = row.stage === 'expired' && row.reason === null && row.missedShownAt === null
  if (stage !== 'played' || !isMissed) return 'nothing'
  row.missedShownAt = at
  return 'no_longer_missed'
}
