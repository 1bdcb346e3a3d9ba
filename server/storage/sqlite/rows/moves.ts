import { forColumns } from '../../acts/act.ts'
import { type AckCall, type Acked, judgeAck } from '../../acts/outbox/acks.ts'
import { ACKED_COLUMNS, type AckedRow, MOVES, type Move, type Moves } from '../../acts/outbox/moves.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import type { SqliteDeviceStates } from './device-states.ts'

const COLUMNS = { at: '@at', reason: '@reason', n: '@n' }

export function createMoves({ sqlite, writing }: Pick<OpenDatabase, 'sqlite' | 'writing'>) {
  const byId = sqlite.prepare<[id: string], AckedRow>(
    `SELECT ${ACKED_COLUMNS} FROM announcements a WHERE a.id = ?`,
  )
  const updates = forColumns(MOVES, (to) =>
    sqlite.prepare<[Move]>(`UPDATE announcements SET ${MOVES[to](COLUMNS)} WHERE number = @rowId`),
  )
  const announcements: Moves = {
    *lock(ids) {
      yield* []
      const found = new Map<string, AckedRow>()
      for (const id of ids) {
        const row = byId.get(id)
        if (row) found.set(id, row)
      }
      return found
    },
    *store(moves) {
      yield* []
      for (const move of moves) updates[move.to].run(move)
    },
  }
  return {
    announcements,
    /** Two acks follow each payment. As a batch of one, each would cost some 3 µs more, measured. */
    createRecordAck: (states: SqliteDeviceStates, rules: Pick<StorageRules, 'stagesBefore'>) =>
      writing((call: AckCall): Acked => {
        const { announcementId, deviceId, judgedBy } = call.step
        const session = judgedBy === undefined ? undefined : states.sessionOf(deviceId)
        const acked = judgeAck(call, byId.get(announcementId), session, rules)
        if (acked.move) updates[acked.move.to].run(acked.move)
        return acked
      }),
  }
}
