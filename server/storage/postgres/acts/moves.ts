import { forColumns, together } from '../../acts/act.ts'
import { ACKED_COLUMNS, type AckedRow, MOVES, type Move, type Moves } from '../../acts/outbox/moves.ts'
import { POSTGRES } from '../schema/statements.ts'

const { perRow } = POSTGRES

const lockById = perRow(
  'outbox lock announcements',
  { id: 'text' },
  ({ id }, { rows }) =>
    `SELECT ${ACKED_COLUMNS} FROM ${rows} announcements a WHERE a.id = ${id}
     ORDER BY a.number FOR NO KEY UPDATE OF a`,
)

const updates = forColumns(MOVES, (to) =>
  perRow(
    `outbox move ${to}`,
    { rowId: 'bigint', at: 'bigint', reason: 'text', n: 'bigint' },
    (row, { from }) => `UPDATE announcements SET ${MOVES[to](row)} ${from} WHERE number = ${row.rowId}`,
  ),
)
const order = Object.keys(MOVES) as Move['to'][]

export const ANNOUNCEMENT_MOVES: Moves = {
  *lock(ids) {
    const found = yield* lockById<AckedRow>([...new Set(ids)].map((id) => ({ id })))
    return new Map(found.map((row) => [row.id, row]))
  },
  *store(moves) {
    yield* together(...order.map((to) => updates[to](moves.filter((move) => move.to === to))))
  },
}
