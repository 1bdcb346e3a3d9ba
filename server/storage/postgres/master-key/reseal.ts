import { isUnavailable, OperatorError } from '../../../platform/errors.ts'
import { hashOf, placeOf, SEALED_TABLES, type SealedColumns } from '../../shared/sealed-columns.ts'
import type { PostgresDatabase } from '../engine/database.ts'

/** All but the canary, which changes with the key in force. */
export const RESEALED: readonly SealedColumns[] = SEALED_TABLES.filter(({ name }) => name !== 'vaultCanary')

/** Below the keys of all rows, as a parameter of PostgreSQL. */
export const beforeAll = ({ key }: SealedColumns): string | number => (key === 'number' ? '-1' : '')

/** Rows that one statement looks at, and at most changes. */
const PAGE = 500

interface Row {
  key: string | number
  /** In the places of the row's values. */
  id: string
  /** Of a row with a keyed hash. */
  clientId?: string
  isOld: boolean
  sealed: Buffer[]
}

/** What was done of a table so far. */
export interface Resealed {
  /** Rows that were looked at. */
  rows: number
  /** Rows that are sealed anew. */
  resealed: number
  /** Rows that another transaction had or has changed meanwhile. */
  skipped: number
}

/**
 * Seals all rows of a table under one key, page by page. Each page is one read and one statement that changes rows. That
 * statement waits for nobody: it leaves out what others have locked, or have changed since the read.
 */
export async function* resealTable(
  { read, write, vault }: PostgresDatabase,
  table: SealedColumns,
  keyId: string,
): AsyncGenerator<Resealed> {
  const done: Resealed = { rows: 0, resealed: 0, skipped: 0 }
  const { pageOf, change } = statementsOf(table)
  for (let after = beforeAll(table); ; ) {
    const found: (Row & { rows: number })[] = await read(`reseal.page.${table.table}`, pageOf, [
      after,
      PAGE,
      Buffer.from(keyId, 'hex'),
    ])
    const last = found.at(-1)
    if (!last) return
    after = last.key
    done.rows += last.rows
    const old = found.filter(({ isOld }) => isOld)
    if (old.length > 0) {
      const changed = await write((tx) => {
        const anew = old.map((row) => table.fields.map((field, at) => sealAnew(row, field, at)))
        return tx.query(`reseal.change.${table.table}`, change, [
          old.map(({ key }) => key),
          ...table.columns.flatMap((_, at) => [
            old.map(({ sealed }) => sealed[at]),
            anew.map((values) => values[at]?.sealed),
          ]),
          // The hashed field is the only one of its table.
          ...(table.hashed ? [anew.map(([value]) => value?.hash)] : []),
        ])
      })
      done.resealed += changed.length
      done.skipped += old.length - changed.length
    }
    yield { ...done }
  }

  function sealAnew({ id, clientId = '', sealed }: Row, field: string, at: number) {
    const place = placeOf(table.table, id, field)
    const plain = openAt(place, sealed[at])
    const hash = table.hashed
      ? hashOf(vault, table.table, clientId, table.hashed, plain.toString('utf8'))
      : undefined
    return { sealed: vault.seal(place, plain), hash }
  }

  function openAt(place: string, sealed: Buffer | undefined): Buffer {
    try {
      if (sealed) return vault.open(place, sealed)
    } catch (error) {
      if (!isUnavailable(error))
        throw new OperatorError(
          `The value at ${place} does not open under its master key, so the database is damaged: restore that row from a backup, and run the command again.`,
        )
    }
    throw new OperatorError(
      `The value at ${place} is sealed under a master key that neither HUB_MASTER_KEY nor HUB_NEXT_MASTER_KEY gives: set one of them to it, and run the command again.`,
    )
  }
}

/** The texts are of names in the code: nothing in them is from outside. */
function statementsOf({ table, columns, key, hashed }: SealedColumns) {
  const keyType = key === 'number' ? 'bigint' : 'text'
  const isOld = columns.map((column) => `substr(${column}, 2, 4) <> $3`).join(' OR ')
  const own = columns.join()
  // Of the rows that stay, the last one says where the page ends.
  const pageOf = `
    WITH page AS MATERIALIZED (
      SELECT ${key} AS key, id, ${hashed ? 'client_id AS "clientId",' : ''} ARRAY[${own}] AS sealed,
        (${isOld}) AS "isOld"
      FROM ${table} WHERE ${key} > $1 ORDER BY ${key} LIMIT $2
    )
    SELECT page.*, (SELECT count(*) FROM page) AS rows FROM page
    WHERE "isOld" OR key = (SELECT max(key) FROM page) ORDER BY key`
  const arrays = columns.flatMap((_, at) => [`$${2 * at + 2}::bytea[]`, `$${2 * at + 3}::bytea[]`])
  const names = columns.flatMap((_, at) => [`was${at}`, `new${at}`])
  const hash = 2 * columns.length + 2
  const unchanged = columns.map((column, at) => `t.${column} = r.was${at}`).join(' AND ')
  const set = columns.map((column, at) => `${column} = r.new${at}`).join()
  const change = `
    WITH r AS MATERIALIZED (
      SELECT * FROM unnest($1::${keyType}[], ${arrays.join()}${hashed ? `, $${hash}::bytea[]` : ''})
        AS r (key, ${names.join()}${hashed ? ', hash' : ''})
    ), free AS MATERIALIZED (
      SELECT t.${key} AS key FROM ${table} t JOIN r ON t.${key} = r.key WHERE ${unchanged}
      FOR ${hashed ? '' : 'NO KEY'} UPDATE OF t SKIP LOCKED
    )
    UPDATE ${table} t SET ${set}${hashed ? `, ${hashed}_hash = r.hash` : ''}
    FROM r JOIN free ON free.key = r.key WHERE t.${key} = r.key AND ${unchanged} RETURNING 1`
  return { pageOf, change }
}
