import type { StoreLists } from '../../../stores/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { createStoreMapping, type StoreRow } from '../../shared/store-mapping.ts'
import { nextRows, placed, type Window, walkBack } from '../../shared/walk-back.ts'
import type { PostgresDatabase } from '../engine/database.ts'
import { groupBy } from '../rows/columns.ts'
import { STORE_COLUMNS, STORE_TOTALS } from '../rows/store-rows.ts'
import { endsOf, rowsOfPartner } from './numbered-rows.ts'

/** Names that one read compares: a millisecond of this thread. */
const NAMES = 1_000

type Row = StoreRow & { rowId: number; createdAt: number }
type Filter = Parameters<StoreLists['page']>[0]

export function createStoreLists(
  { read, vault }: PostgresDatabase,
  { plainName }: Pick<StorageRules, 'plainName'>,
): StoreLists {
  const { toStore } = createStoreMapping(vault)

  /** The row ids of a window's stores that match, newest first. PostgreSQL does not know plain names. */
  async function matches({ clientId, terminalID, storeName }: Filter, window: Window): Promise<number[]> {
    const wanted = storeName === undefined ? undefined : plainName(storeName)
    const rows = await read<{ rowId: number; storeName: string }>(
      'lists.stores matches',
      `SELECT s.number AS "rowId", s.store_name AS "storeName" FROM stores s
       WHERE s.number >= $1 AND s.number < $2
         AND ($4::text IS NULL OR s.client_id = $4)
         AND ($5::text IS NULL OR s.terminal_id = $5)
       ORDER BY s.number DESC LIMIT $3`,
      [
        ...[window.from, window.below, wanted === undefined ? window.limit : window.below - window.from],
        ...[clientId, terminalID],
      ],
    )
    return rows
      .filter((row) => wanted === undefined || plainName(row.storeName).includes(wanted))
      .slice(0, window.limit)
      .map(({ rowId }) => rowId)
  }

  async function speakersOf(rows: Row[]) {
    const speakers = await read<{ storeRowId: number; serial: string }>(
      'lists.stores speakers',
      `SELECT l.store_number AS "storeRowId", d.serial
       FROM device_stores l JOIN devices d ON d.number = l.device_number
       WHERE l.store_number = ANY($1::bigint[]) ORDER BY d.number`,
      [rows.map(({ rowId }) => rowId)],
    )
    return groupBy(speakers, ({ storeRowId }) => storeRowId)
  }

  return {
    async page(filter, page) {
      const below = (await endsOf(read, 'stores')).highest + 1
      const rows = async (window: Window) =>
        read<Row>(
          'lists.stores',
          `SELECT s.number AS "rowId", s.created_at AS "createdAt", ${STORE_COLUMNS}
           FROM stores s ${STORE_TOTALS} WHERE s.number = ANY($1::bigint[]) ORDER BY s.number DESC`,
          [await matches(filter, window)],
        )
      const { clientId } = filter
      const choose = clientId === undefined ? nextRows(NAMES) : rowsOfPartner(read, 'stores', clientId, NAMES)
      const found = await walkBack(page, { least: 1, below }, rows, choose)
      const speakers = await speakersOf(found.rows)
      return placed(found, ({ rowId, createdAt, ...row }) => ({
        store: toStore(row),
        createdAt,
        serials: (speakers.get(rowId) ?? []).map(({ serial }) => serial),
      }))
    },
  }
}
