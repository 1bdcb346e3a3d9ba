import type { OperatorRecords } from '../../operators/ports.ts'
import { type ConsoleSession, IDLE_MS, LONGEST_MS } from '../../operators/session.ts'
import type { Actor } from '../../security/actor.ts'
import { type Engine, row, rows } from './act.ts'
import { noteChange } from './audit-trail.ts'

const COLUMNS = 'id, name, role, created_at AS "createdAt", seen_at AS "seenAt"'

export function createOperatorRecords({ reading, writing, lock }: Engine): OperatorRecords {
  return {
    addLink: writing(function* (by, { hash, name, role, expiresAt }, at) {
      yield* rows('operators.dropLinks', 'DELETE FROM console_links WHERE expires_at <= $1', [at])
      yield* rows(
        'operators.addLink',
        'INSERT INTO console_links (hash, name, role, expires_at) VALUES ($1, $2, $3, $4)',
        [hash, name, role, expiresAt],
      )
      yield* noteChange({ by, at, action: 'console.link', subject: name, details: { role } })
    }),

    hasLink: reading(function* (hash, at) {
      return (
        (yield* row('operators.link', 'SELECT 1 FROM console_links WHERE hash = $1 AND expires_at > $2', [
          hash,
          at,
        ])) !== undefined
      )
    }),

    logIn: writing(function* (linkHash, { id, hash }, at) {
      yield* lock('operators.lockLink', 'SELECT 1 FROM console_links WHERE hash = $1', [linkHash])
      const link = yield* row<Pick<ConsoleSession, 'name' | 'role'>>(
        'operators.useLink',
        'DELETE FROM console_links WHERE hash = $1 AND expires_at > $2 RETURNING name, role',
        [linkHash, at],
      )
      if (!link) return undefined
      const { name, role } = link
      yield* rows(
        'operators.dropSessions',
        'DELETE FROM console_sessions WHERE created_at <= $1 OR seen_at <= $2',
        [at - LONGEST_MS, at - IDLE_MS],
      )
      yield* rows(
        'operators.addSession',
        'INSERT INTO console_sessions (id, hash, name, role, created_at, seen_at) VALUES ($1, $2, $3, $4, $5, $5)',
        [id, hash, name, role, at],
      )
      const by: Actor = { kind: 'operator', name, from: 'console' }
      yield* noteChange({ by, at, action: 'console.login', subject: name, details: { role } })
      return { id, name, role, createdAt: at, seenAt: at }
    }),

    session: reading((hash) =>
      row<ConsoleSession>('operators.session', `SELECT ${COLUMNS} FROM console_sessions WHERE hash = $1`, [
        hash,
      ]),
    ),

    noteUse: writing(function* (id, at) {
      yield* rows('operators.noteUse', 'UPDATE console_sessions SET seen_at = $2 WHERE id = $1', [id, at])
    }),

    end: writing(function* (by, id, at) {
      const ended = yield* row<{ name: string }>(
        'operators.end',
        'DELETE FROM console_sessions WHERE id = $1 RETURNING name',
        [id],
      )
      if (ended) yield* noteChange({ by, at, action: 'console.logout', subject: ended.name })
      return ended !== undefined
    }),

    sessions: reading((at) =>
      rows<ConsoleSession>(
        'operators.sessions',
        `SELECT ${COLUMNS} FROM console_sessions WHERE created_at > $1 AND seen_at > $2 ORDER BY created_at DESC, id`,
        [at - LONGEST_MS, at - IDLE_MS],
      ),
    ),
  }
}
