import type Database from 'better-sqlite3'
import type { ScreenState } from '../../../announcements/ports.ts'
import type { ShownBill } from '../../../announcements/screen.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageRules } from '../../rules.ts'
import {
  createScreenMapping,
  NOT_REGISTERED,
  SCREEN_BILLS,
  SCREEN_STORES,
  type ShownStoreRow,
} from '../../shared/screen-mapping.ts'

/** Reads what the screens of a device show. The rule is announcements/screen.ts. */
export function createScreenState(
  sqlite: Database.Database,
  vault: Vault,
  { chooseScreen }: Pick<StorageRules, 'chooseScreen'>,
): (deviceId: string, now: number) => ScreenState {
  const toScreen = createScreenMapping(vault)
  const { deviceOf, links, storeOf, currentBills, qrCode } = prepare(sqlite)

  return function screen(deviceId, now) {
    const row = deviceOf.get(deviceId)
    const newest = (row ? links.all(row.device) : []).toSorted((a, b) => b.linkedAt - a.linkedAt)
    const linked = newest.slice(0, SCREEN_STORES).flatMap(({ store, linkedAt }) => {
      const one = storeOf.get(store)
      return one ? [{ ...one, linkedAt }] : []
    })
    const [first] = linked
    if (!row || !first) return NOT_REGISTERED
    const current = linked.flatMap(({ id: storeId }) =>
      currentBills.all(storeId, now).map((one) => ({ ...one, paid: one.paidAt !== null })),
    )
    const { store = first, bill, ...choice } = chooseScreen(row.active === 1, linked, current, now)
    const qrcode = bill && qrCode.get(bill.id)
    return toScreen(store, qrcode && { ...bill, qrcode }, choice)
  }
}

type BillRow = Omit<ShownBill, 'paid'> & { amount: number; billNumber: string; paidAt: number | null }

/**
 * Every birth reads these, and after a restart all speakers are born at once.
 * No join, and ORDER BY only along an index: either takes SQLite three times as long as the look-ups, measured.
 */
function prepare(sqlite: Database.Database) {
  return {
    deviceOf: sqlite.prepare<[id: string], { device: number; active: number }>(
      'SELECT number AS device, active FROM devices WHERE id = ?',
    ),
    links: sqlite.prepare<[device: number], { store: number; linkedAt: number }>(
      'SELECT store_number AS store, linked_at AS linkedAt FROM device_stores WHERE device_number = ?',
    ),
    storeOf: sqlite.prepare<[store: number], ShownStoreRow>(
      'SELECT id, store_name AS name, static_qr_code AS qr FROM stores WHERE number = ?',
    ),
    currentBills: sqlite.prepare<[storeId: string, now: number], BillRow>(
      `SELECT id, amount, bill_number AS billNumber, paid_at AS paidAt, shown_until AS shownUntil,
         updated_at AS updatedAt
       FROM bills WHERE store_id = ? AND shown_until > ? ORDER BY shown_until DESC LIMIT ${SCREEN_BILLS}`,
    ),
    qrCode: sqlite.prepare<[id: string], Buffer>('SELECT qrcode FROM bills WHERE id = ?').pluck(),
  }
}
