import { forColumns } from '../../acts/act.ts'
import { type AckCall, type Acked, judgeAck } from '../../acts/outbox/acks.ts'
import { ACKED_COLUMNS, type AckedRow, MOVES, type Move } from '../../acts/outbox/moves.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import type { SqliteDeviceStates } from '../rows/device-states.ts'

const COLUMNS = { at: '@at', reason: '@reason', n: '@n', proof: '@proof' }

/** Two acks follow each payment. As a batch of one, each would cost some 3 µs more, measured. */
export function createRecordAck(
  { sqlite, writing }: Pick<OpenDatabase, 'sqlite' | 'writing'>,
  states: SqliteDeviceStates,
  rules: Pick<StorageRules, 'stagesBefore' | 'provesMore'>,
) {
  const byId = sqlite.prepare<[id: string], AckedRow>(
    `SELECT ${ACKED_COLUMNS} FROM announcements a WHERE a.id = ?`,
  )
  const updates = forColumns(MOVES, (to) =>
    sqlite.prepare<[Move]>(`UPDATE announcements SET ${MOVES[to](COLUMNS)} WHERE number = @rowId`),
  )
  return writing((call: AckCall): Acked => {
    const { announcementId, deviceId, judgedBy } = call.step
    const session = judgedBy === undefined ? undefined : states.sessionOf(deviceId)
    const acked = judgeAck(call, byId.get(announcementId), session, rules)
    if (acked.move) updates[acked.move.to].run(acked.move)
    return acked
  })
}
