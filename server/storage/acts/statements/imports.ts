import { NO_SUMMARY } from '../../../reconciliation/match/summary.ts'
import {
  IMPORT_DIES_MS,
  type NewStatement,
  ROWS_PER_COMMIT,
  type StatementRecords,
} from '../../../reconciliation/ports.ts'
import { accountHashes } from '../../shared/sealed-columns.ts'
import { createStatementMapping } from '../../shared/statement-mapping.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { leaveRows } from './outcomes.ts'

/** The beginning, the rows and the end of an import. */
export function createStatementImports(
  engine: Engine,
  uuid: () => string,
): Pick<StatementRecords, 'begin' | 'hold' | 'addRows' | 'finish' | 'abandon' | 'removeDead'> {
  const { writing, among } = engine
  const mapping = createStatementMapping(engine.vault)
  const insert = createInsert(engine)
  const begin = createBegin(engine, uuid)
  const removals = createRemovals(engine)

  return {
    async begin(by, statement) {
      for (;;) {
        const begun = await begin(by, statement)
        if (begun.kind !== 'busy') return begun
        if (begun.dead === undefined) return { kind: 'busy' }
        await removals.abandon(begun.dead)
      }
    },

    hold: writing(function* (id, at) {
      return (yield* touch(id, at)) !== undefined
    }),

    addRows: writing(function* (id, added, at) {
      const accountId = yield* touch(id, at)
      if (accountId === undefined) return false
      yield* leaveRows(
        { among },
        added.flatMap(({ paymentId }) => paymentId ?? []),
      )
      yield* insert(added.map((one) => ({ ...mapping.toColumns(one), statementId: id, accountId })))
      return true
    }),

    finish: writing(function* (by, id, { version, summary }, at) {
      const accountId = yield* touch(id, at)
      if (accountId === undefined) return false
      const [raised] = yield* rows<{ version: number }>(
        'statements.raise',
        'UPDATE bank_accounts SET version = version + 1 WHERE id = $1 RETURNING version',
        [accountId],
      )
      const isFresh = raised?.version === version + 1
      const finished = yield* row<{ clientId: string; rowCount: number; sha256: string }>(
        'statements.finish',
        `UPDATE statements SET state = 'open', matched_version = $2, summary = $3 WHERE id = $1
         RETURNING client_id AS "clientId", row_count AS "rowCount", sha256`,
        [id, isFresh ? version + 1 : null, JSON.stringify(summary)],
      )
      const { clientId, rowCount, sha256 } = finished ?? {}
      const details = { clientId, rows: rowCount, sha256 }
      yield* noteChange({ by, at, action: 'statement.import', subject: id, details })
      return true
    }),

    ...removals,
  }
}

/** Removes imports with their rows. */
function createRemovals({
  inPages,
  reading,
}: Pick<Engine, 'inPages' | 'reading'>): Pick<StatementRecords, 'abandon' | 'removeDead'> {
  async function remove(id: string): Promise<void> {
    await inPages<true, undefined>(true, function* () {
      const deleted = yield* deleteRows(id)
      if (deleted === ROWS_PER_COMMIT) return { value: undefined, next: true as const }
      yield* rows('statements.delete', `DELETE FROM statements WHERE id = $1 AND state = 'importing'`, [id])
      return { value: undefined, next: undefined }
    })
  }

  /** The imports that nobody has said to live since an instant, of an account or of all. */
  const dead = reading(function* (before: number) {
    const found = yield* rows<{ id: string }>(
      'statements.dead',
      `SELECT id FROM statements WHERE state = 'importing' AND touched_at < $1`,
      [before],
    )
    return found.map(({ id }) => id)
  })

  return {
    abandon: remove,

    async removeDead(before) {
      const ids = await dead(before)
      for (const id of ids) await remove(id)
      return ids.length
    },
  }
}

const createInsert = ({ perRow }: Pick<Engine, 'perRow'>) =>
  perRow(
    'statements.addRows',
    {
      ...({ id: 'text', statementId: 'text', accountId: 'text', n: 'bigint', date: 'text' } as const),
      ...({ at: 'bigint', amount: 'bigint', direction: 'text', refs: 'text', narrative: 'bytea' } as const),
      ...({ flags: 'text', bucket: 'text', rule: 'text', paymentId: 'text' } as const),
      ...({ proposedId: 'text', otherRow: 'text' } as const),
    },
    (one, { from }) =>
      `INSERT INTO statement_rows (id, statement_id, account_id, n, date, at, amount, direction, refs, narrative, flags,
       bucket, rule, payment_id, proposed_id, other_row)
     SELECT ${one.id}, ${one.statementId}, ${one.accountId}, ${one.n}, ${one.date}, ${one.at}, ${one.amount},
       ${one.direction}, ${one.refs}, ${one.narrative}, ${one.flags}, ${one.bucket}, ${one.rule}, ${one.paymentId},
       ${one.proposedId}, ${one.otherRow} ${from}`,
  )

/** Begins an import, when no other one of the account lives. `dead`: one that has to be removed first. */
function createBegin(engine: Engine, uuid: () => string) {
  function* accountOf({ clientId, account, importedAt }: NewStatement): Act<string> {
    yield* engine.holdKey()
    const known = yield* findAccount(engine, clientId, account)
    if (known !== undefined) return known
    const id = uuid()
    const [hash] = accountHashes(engine.vault, clientId, account)
    yield* rows(
      'statements.addAccount',
      `INSERT INTO bank_accounts (id, client_id, account, account_hash, created_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (client_id, account_hash) DO NOTHING`,
      [id, clientId, createStatementMapping(engine.vault).sealAccount(id, account), hash, importedAt],
    )
    // Another transaction may have stored it at the same moment.
    return (yield* findAccount(engine, clientId, account)) ?? id
  }

  return engine.writing(function* (_, statement: NewStatement) {
    const accountId = yield* accountOf(statement)
    yield* engine.lock('statements.lockAccount', 'SELECT 1 FROM bank_accounts WHERE id = $1', [accountId])
    const known = yield* row<{ id: string }>(
      'statements.known',
      `SELECT id FROM statements WHERE account_id = $1 AND sha256 = $2 AND state <> 'importing'`,
      [accountId, statement.sha256],
    )
    if (known) return { kind: 'known' as const, id: known.id }
    const busy = yield* row<{ id: string; touchedAt: number }>(
      'statements.busy',
      `SELECT id, touched_at AS "touchedAt" FROM statements WHERE account_id = $1 AND state = 'importing'`,
      [accountId],
    )
    if (busy) {
      const isDead = busy.touchedAt < statement.importedAt - IMPORT_DIES_MS
      return { kind: 'busy' as const, dead: isDead ? busy.id : undefined }
    }
    yield* add(statement, accountId)
    return { kind: 'begun' as const, accountId }
  } satisfies (...args: Parameters<StatementRecords['begin']>) => Act<unknown>)
}

/** Says that an import lives, and returns its account. */
function* touch(id: string, at: number): Act<string | undefined> {
  const touched = yield* row<{ accountId: string }>(
    'statements.touch',
    `UPDATE statements SET touched_at = $2 WHERE id = $1 AND state = 'importing' RETURNING account_id AS "accountId"`,
    [id, at],
  )
  return touched?.accountId
}

/** The id of a partner's account. */
export function* findAccount(
  { vault }: Pick<Engine, 'vault'>,
  clientId: string,
  account: string,
): Act<string | undefined> {
  for (const hash of accountHashes(vault, clientId, account)) {
    const found = yield* row<{ id: string }>(
      'statements.account',
      'SELECT id FROM bank_accounts WHERE client_id = $1 AND account_hash = $2',
      [clientId, hash],
    )
    if (found) return found.id
  }
  return undefined
}

function* add(statement: NewStatement, accountId: string): Act<void> {
  const { id, clientId, format, profile, sha256, zone, from, to, fromAt, untilAt } = statement
  yield* rows(
    'statements.add',
    `INSERT INTO statements (id, client_id, account_id, format, profile, sha256, zone, from_date, to_date, from_at,
       until_at, opening, closing, row_count, state, imported_at, touched_at, summary)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'importing', $15, $15, $16)`,
    [
      ...[id, clientId, accountId, format, profile, sha256, zone, from, to, fromAt, untilAt],
      ...[statement.opening, statement.closing, statement.rowCount, statement.importedAt],
      JSON.stringify(NO_SUMMARY),
    ],
  )
}

function* deleteRows(statementId: string): Act<number> {
  const deleted = yield* rows(
    'statements.deleteRows',
    `DELETE FROM statement_rows WHERE id IN (
       SELECT r.id FROM statement_rows r JOIN statements s ON s.id = r.statement_id
       WHERE r.statement_id = $1 AND s.state = 'importing' ORDER BY r.n LIMIT ${ROWS_PER_COMMIT}
     ) RETURNING 1`,
    [statementId],
  )
  return deleted.length
}
