import type Database from 'better-sqlite3'
import { forColumns } from '../../acts/act.ts'
import { ACKED_COLUMNS, type AckedRow, MOVES, type Move, type Moves } from '../../acts/outbox/moves.ts'

const COLUMNS = { at: '@at', reason: '@reason', n: '@n' }

export function createMoves(sqlite: Database.Database): Moves {
  const byId = sqlite.prepare<[id: string], AckedRow>(
    `SELECT ${ACKED_COLUMNS} FROM announcements a WHERE a.id = ?`,
  )
  const updates = forColumns(MOVES, (to) =>
    sqlite.prepare<[Move]>(`UPDATE announcements SET ${MOVES[to](COLUMNS)} WHERE number = @rowId`),
  )
  return {
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
}
