import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import type { ScreenState } from '../../../announcements/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageRules } from '../../rules.ts'
import type { Orm } from '../engine/database.ts'
import { bills, deviceStores, devices, stores } from '../schema/schema.ts'
import { sealedFields } from '../schema/sealed-columns.ts'

const NOT_REGISTERED: ScreenState = {
  profile: { name: '', qr: '' },
  linked: false,
  bill: undefined,
  hasEndedBill: false,
}

/** Reads what the screens of a device show. The rule is announcements/screen.ts. */
export function createScreenState(
  orm: Orm,
  vault: Vault,
  { chooseScreen }: Pick<StorageRules, 'chooseScreen'>,
): (deviceId: string, now: number) => ScreenState {
  const sealedStores = sealedFields(vault, 'stores')
  const sealedBills = sealedFields(vault, 'bills')
  const { linkedStores, currentBills } = prepare(orm)

  return function screen(deviceId, now) {
    const linked = linkedStores.all({ deviceId })
    const [first] = linked
    if (!first) return NOT_REGISTERED
    const current = currentBills.all({ deviceId, now }).map((row) => ({ ...row, paid: row.paidAt !== null }))
    const { store = first, bill, hasEndedBill } = chooseScreen(first.active, linked, current, now)
    return {
      profile: { name: store.name, qr: sealedStores.read(store.id, 'staticQRCode', store.qr) },
      linked: true,
      bill: bill && {
        id: bill.id,
        qr: sealedBills.read(bill.id, 'qrcode', bill.qrcode),
        amount: String(bill.amount),
        billNumber: bill.billNumber,
        shownUntil: bill.shownUntil,
      },
      hasEndedBill,
    }
  }
}

/** Every birth reads these, and after a restart all speakers are born at once. */
function prepare(orm: Orm) {
  const deviceId = sql.placeholder('deviceId')
  const ofDevice = orm
    .select({ id: stores.id })
    .from(devices)
    .innerJoin(deviceStores, eq(deviceStores.deviceRowId, devices.rowId))
    .innerJoin(stores, eq(stores.rowId, deviceStores.storeRowId))
    .where(eq(devices.id, deviceId))
  return {
    linkedStores: orm
      .select({
        id: stores.id,
        linkedAt: deviceStores.linkedAt,
        name: stores.storeName,
        qr: stores.staticQRCode,
        active: devices.active,
      })
      .from(devices)
      .innerJoin(deviceStores, eq(deviceStores.deviceRowId, devices.rowId))
      .innerJoin(stores, eq(stores.rowId, deviceStores.storeRowId))
      .where(eq(devices.id, deviceId))
      .prepare(),
    currentBills: orm
      .select()
      .from(bills)
      .where(and(inArray(bills.storeId, ofDevice), gt(bills.shownUntil, sql.placeholder('now'))))
      .prepare(),
  }
}
