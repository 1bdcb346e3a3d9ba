import type { StoreLists, StoreReport } from '../../../stores/ports.ts'
import type { Store } from '../../../stores/store.ts'
import type { StorageRules } from '../../rules.ts'
import { type Act, type Engine, rows } from '../act.ts'
import { createStoreNames } from '../store-names.ts'
import { createStoreRows } from '../store-rows.ts'
import { boundsOf, rowsWith } from './numbered-rows.ts'
import { allRows, type ChooseRange, nextRows, placed, type Window, walkBack } from './walk-back.ts'

/** Names that one read compares: a millisecond. The databases do not know plain names. */
const NAMES = 1_000

export function createStoreLists(engine: Engine, rules: Pick<StorageRules, 'plainName'>): StoreLists {
  const { plainName } = rules
  const { reading, among, scanned } = engine
  const stores = createStoreRows(engine)

  function* serialsOf(numbers: number[]) {
    const speakers = yield* rows<{ storeNumber: number; serial: string }>(
      'lists.stores speakers',
      `SELECT l.store_number AS "storeNumber", d.serial
       FROM device_stores l JOIN devices d ON d.number = l.device_number
       WHERE ${among('l.store_number', '$1', 'bigint')} ORDER BY l.store_number, l.device_number`,
      [numbers],
    )
    return Map.groupBy(speakers, ({ storeNumber }) => storeNumber)
  }

  function* reportsOf(
    found: readonly { rowId: number; createdAt: number; store: Store }[],
  ): Act<StoreReport[]> {
    const serials = yield* serialsOf(found.map(({ rowId }) => rowId))
    return found.map(({ rowId, ...report }) => ({
      ...report,
      serials: (serials.get(rowId) ?? []).map(({ serial }) => serial),
    }))
  }

  return {
    ofNumbers: reading(function* (numbers) {
      const found = yield* stores.ofNumbers(numbers)
      const reports = yield* reportsOf(found)
      return reports.map((report, index) => ({ ...report, cursor: String(found[index]?.rowId) }))
    }),

    named: createStoreNames(engine, rules).namedWith(function* (numbers) {
      return yield* reportsOf(yield* stores.ofNumbers(numbers))
    }),

    page: reading(function* ({ clientId, terminalID, storeName }, page) {
      const wanted = storeName === undefined ? undefined : plainName(storeName)
      // Each combination has its own text, in which all conditions are there: so the index of a partner is used.
      const given = Object.entries({ client_id: clientId, terminal_id: terminalID }).filter(
        ([, value]) => value !== undefined,
      )
      function* matching({ from, below, limit }: Window): Act<number[]> {
        const found = yield* rows<{ rowId: number; storeName: string }>(
          `lists.stores by ${given.map(([column]) => column).join() || 'number'}`,
          `SELECT s.number AS "rowId", s.store_name AS "storeName" FROM stores s
           WHERE s.number >= $1 AND s.number < $2 ${given.map(([column], index) => `AND s.${column} = $${index + 4}`).join(' ')}
           ORDER BY s.number DESC LIMIT $3`,
          [from, below, wanted === undefined ? limit : below - from, ...given.map(([, value]) => value)],
        )
        return found
          .filter((row) => wanted === undefined || plainName(row.storeName).includes(wanted))
          .slice(0, limit)
          .map(({ rowId }) => rowId)
      }
      const choose = (): ChooseRange => {
        if (clientId === undefined) return nextRows('stores', wanted === undefined ? scanned : NAMES)
        const isFew = wanted === undefined || terminalID !== undefined
        return isFew ? allRows : rowsWith('stores', 'client_id', clientId, NAMES)
      }
      const found = yield* walkBack(
        page,
        yield* boundsOf('stores'),
        function* (window) {
          return yield* stores.ofNumbers(yield* matching(window))
        },
        choose(),
      )
      const serials = yield* serialsOf(found.rows.map(({ rowId }) => rowId))
      return placed(found, ({ rowId, ...report }) => ({
        ...report,
        serials: (serials.get(rowId) ?? []).map(({ serial }) => serial),
      }))
    }),
  }
}
