import type { Language } from '../../../../../protocol/money/language.ts'
import { createBoundedMap } from '../../../../platform/bounded-map.ts'
import { isSame } from '../../../../security/vault.ts'
import type { PaidStore } from '../../../../stores/store.ts'
import { type Act, rows } from '../../../acts/act.ts'
import type { LockedDevice } from '../../../acts/outbox/device-states.ts'
import type { Till } from '../../../acts/payments/recording.ts'
import type { PaidStoreRow, StoreMapping } from '../../../shared/store-mapping.ts'

/** Names a store. */
export interface TillKey {
  clientId: string
  terminalID: string
}

/** The length tells where the terminal ends, whatever the two texts are. */
export const keyOfTill = ({ clientId, terminalID }: TillKey) =>
  `${terminalID.length} ${terminalID}${clientId}`

const WANTED =
  'unnest($1::text[], $2::text[]) AS w(client_id, terminal_id) JOIN stores s USING (client_id, terminal_id)'

/** Locks the rows of all devices of these tills, as `DeviceStates.lock` does, and returns them by their row ids. */
export function* lockDevicesOfTills(keys: readonly TillKey[]): Act<Map<number, LockedDevice>> {
  const locked = yield* rows<LockedDevice>(
    'payments.record lock',
    `SELECT device_number AS "rowId", n, n AS stored, session_id AS "sessionId" FROM device_state
     WHERE device_number = ANY(ARRAY(
       SELECT l.device_number FROM ${WANTED} JOIN device_stores l ON l.store_number = s.number
     ))
     ORDER BY device_number FOR NO KEY UPDATE`,
    namesOf(keys),
  )
  return new Map(locked.map((row) => [row.rowId, row]))
}

type Row = PaidStoreRow &
  TillKey & { storeRowId: number } & (
    | { deviceRowId: number; deviceId: string; serial: string; active: boolean; lang: Language }
    | { deviceRowId: null }
  )

/**
 * Reads tills by `keyOfTill`. Only behind the lock of their devices: a release, a lock of a speaker or another language
 * that was committed before is then seen, and none comes before the commit.
 */
export function* readTills(keys: readonly TillKey[], toPaid: StoreMapping['toPaid']): Act<Map<string, Till>> {
  // One statement: two would see two moments, and a terminal's number can move from one store to another.
  const found = yield* rows<Row>(
    'payments.record tills',
    `SELECT s.client_id AS "clientId", s.terminal_id AS "terminalID", s.number AS "storeRowId", s.id,
       s.bank_name AS "bankName", s.bank_code AS "bankCode", s.bank_account_number AS "bankAccountNumber",
       s.bank_account_name AS "bankAccountName", s.static_qr_code AS "staticQRCode",
       d.number AS "deviceRowId", d.id AS "deviceId", d.serial, d.active, d.lang
     FROM ${WANTED}
     LEFT JOIN (device_stores l JOIN devices d ON d.number = l.device_number AND d.revoked_at IS NULL)
       ON l.store_number = s.number
     ORDER BY d.number`,
    namesOf(keys),
  )
  const tills = Map.groupBy(found, keyOfTill)
  return new Map(
    [...tills].flatMap(([key, linked]) => {
      const [first] = linked
      if (!first) return []
      const speakers = linked.flatMap((row) => {
        if (row.deviceRowId === null) return []
        const { deviceRowId, deviceId, serial, active, lang } = row
        return { deviceRowId, speaker: { deviceId, serial, active, lang } }
      })
      return [[key, { store: toPaid(paidColumns(first)), storeRowId: first.storeRowId, speakers }]]
    }),
  )
}

/** Stores whose values stay opened, some 900 bytes each. The one opened longest ago gives way. */
const OPENED = 50_000

/**
 * Opens the sealed values of a store only when a column has changed since: each opening costs more than all else that
 * is done with a till. A value that is sealed again has other bytes.
 */
export function openOnce(toPaid: StoreMapping['toPaid']): StoreMapping['toPaid'] {
  const opened = createBoundedMap<{ row: PaidStoreRow; store: PaidStore }>(OPENED)
  return (row) => {
    const known = opened.get(row.id)
    if (known && isSameStore(known.row, row)) return known.store
    const store = Object.freeze(toPaid(row))
    opened.set(row.id, { row, store })
    return store
  }
}

function isSameStore(before: PaidStoreRow, now: PaidStoreRow): boolean {
  return (
    before.bankName === now.bankName &&
    before.bankCode === now.bankCode &&
    isSame(before.bankAccountNumber, now.bankAccountNumber) &&
    isSame(before.bankAccountName, now.bankAccountName) &&
    isSame(before.staticQRCode, now.staticQRCode)
  )
}

function paidColumns({
  id,
  bankName,
  bankCode,
  bankAccountNumber,
  bankAccountName,
  staticQRCode,
}: Row): PaidStoreRow {
  return { id, bankName, bankCode, bankAccountNumber, bankAccountName, staticQRCode }
}

/** The parameters of WANTED: each till once. */
function namesOf(keys: readonly TillKey[]): string[][] {
  const tills = [...new Map(keys.map((key) => [keyOfTill(key), key])).values()]
  return [tills.map(({ clientId }) => clientId), tills.map(({ terminalID }) => terminalID)]
}
