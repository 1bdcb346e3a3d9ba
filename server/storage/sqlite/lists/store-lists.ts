import { and, desc, eq, max, type SQL, sql } from 'drizzle-orm'
import type { StoreLists } from '../../../stores/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { allRows, type ChooseRange, nextRows, placed, walkBack } from '../../shared/walk-back.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { type StoreRows, storeColumns } from '../rows/store-rows.ts'
import { deviceStores, devices, stores } from '../schema/schema.ts'
import { PARTNER_ROWS, rowsOfPartner } from './partner-rows.ts'

export function createStoreLists(
  { orm }: OpenDatabase,
  rows: StoreRows,
  { plainName }: Pick<StorageRules, 'plainName'>,
): StoreLists {
  const { rowId, createdAt } = stores
  const ofPartner = rowsOfPartner(orm, 'stores')
  const speakersOf = orm
    .select({ serial: devices.serial })
    .from(deviceStores)
    .innerJoin(devices, eq(devices.rowId, deviceStores.deviceRowId))
    .where(eq(deviceStores.storeRowId, sql.placeholder('storeRowId')))
    .prepare()
  const highest = orm
    .select({ rowId: max(rowId) })
    .from(stores)
    .prepare()

  return {
    page: reading(async ({ clientId, terminalID, storeName }, page) => {
      const isOne = clientId !== undefined && terminalID !== undefined
      // `+` keeps SQLite from an index by which the rows would have to be sorted.
      const matches: (SQL | undefined)[] = isOne
        ? [eq(stores.clientId, clientId), eq(stores.terminalID, terminalID)]
        : [
            clientId === undefined ? undefined : sql`+${stores.clientId} = ${clientId}`,
            terminalID === undefined ? undefined : sql`+${stores.terminalID} = ${terminalID}`,
          ]
      const below = (highest.get()?.rowId ?? 0) + 1
      const wanted = storeName === undefined ? undefined : plainName(storeName)
      const choose: ChooseRange = isOne
        ? allRows
        : clientId === undefined
          ? nextRows(PARTNER_ROWS)
          : ofPartner(clientId)
      const read = (window: { from: number; below: number; limit: number }) => {
        const inWindow = orm
          .select({ ...storeColumns, rowId, createdAt })
          .from(stores)
          .where(and(sql`${rowId} >= ${window.from} and ${rowId} < ${window.below}`, ...matches))
          .orderBy(desc(rowId))
          // SQLite does not know plain names: for a name, the whole window is read.
          .limit(wanted === undefined ? window.limit : window.below - window.from)
          .all()
        if (wanted === undefined) return inWindow
        return inWindow.filter((row) => plainName(row.storeName).includes(wanted)).slice(0, window.limit)
      }
      const found = await walkBack(page, { least: 1, below }, read, choose)
      return placed(found, ({ rowId: storeRowId, createdAt: at, ...row }) => ({
        store: rows.toStore(row),
        createdAt: at,
        serials: speakersOf.all({ storeRowId }).map(({ serial }) => serial),
      }))
    }),
  }
}
