import { keyIdOf, type Vault } from '../../../security/vault.ts'
import type { SealedColumns } from '../../shared/sealed-columns.ts'
import { lookIntoDatabase, type PostgresDatabase } from '../engine/database.ts'
import { beforeAll, RESEALED } from './reseal.ts'

/** Rows that one statement looks at. */
const PAGE = 2_000

export interface MasterKeyStatus {
  /** The id of the key that hubs seal under. */
  inForce: string
  /** Earlier keys that rows may still be sealed under: no hub starts without them. */
  previous: { id: string; until: number }[]
  /** The hubs that run. Without `keyIds`: of a release that has one key. */
  hubs: { host: string; pid: number; keyIds: string[] | null }[]
  /** Sealed values by table and by the id of their key. */
  values: Record<string, Record<string, number>>
}

/** Looks at every sealed value, and changes nothing. */
export async function masterKeyStatus(url: string, vault: Vault): Promise<MasterKeyStatus> {
  const database = await lookIntoDatabase(url, vault)
  const { read } = database
  try {
    const [canary] = await read<{ sealed: Buffer }>('status.canary', 'SELECT sealed FROM vault_canary')
    if (!canary) throw new Error('an open database has a canary')
    const values = new Map<string, Record<string, number>>()
    for (const table of RESEALED) values.set(table.table, await countValues(database, table))
    return {
      inForce: keyIdOf(canary.sealed),
      previous: await read(
        'status.previous',
        'SELECT id, until FROM previous_master_keys WHERE given_up_at IS NULL ORDER BY until',
      ),
      hubs: await read(
        'status.hubs',
        'SELECT host, pid, key_ids AS "keyIds" FROM live_hubs ORDER BY started_at',
      ),
      values: Object.fromEntries(values),
    }
  } finally {
    await database.close()
  }
}

async function countValues(
  { read }: PostgresDatabase,
  sealed: SealedColumns,
): Promise<Record<string, number>> {
  const { table, columns, key } = sealed
  const counts = new Map<string, number>()
  const values = columns.map((column) => `(${column})`).join()
  const text = `
    WITH page AS MATERIALIZED (
      SELECT ${key} AS page_key, ${columns.join()} FROM ${table} WHERE ${key} > $1 ORDER BY ${key} LIMIT $2
    )
    SELECT encode(substr(value, 2, 4), 'hex') AS id, count(*) AS count, (SELECT max(page_key) FROM page) AS last
    FROM page, LATERAL (VALUES ${values}) AS v (value) GROUP BY 1`
  for (let after = beforeAll(sealed); ; ) {
    const found: { id: string; count: number; last: string | number }[] = await read(
      `status.count.${table}`,
      text,
      [after, PAGE],
    )
    const [first] = found
    if (!first) return Object.fromEntries(counts)
    after = first.last
    for (const { id, count } of found) counts.set(id, (counts.get(id) ?? 0) + count)
  }
}
