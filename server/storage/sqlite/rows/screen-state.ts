import { and, desc, eq, gt, sql } from 'drizzle-orm'
import type { ScreenState } from '../../../announcements/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageRules } from '../../rules.ts'
import type { Orm } from '../engine/database.ts'
import { bills, deviceStores, devices, stores } from '../schema/schema.ts'
import { sealedFields } from '../schema/sealed-columns.ts'

/**
 * The bills of one store that are looked at: those that were put last. A store that puts more in a quarter of an hour,
 * all of which are paid, does not get back to a bill from before them.
 */
const BILLS = 200
/** The stores of one device that are looked at: those that were linked last. */
const STORES = 20

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
  const { linkedStores, currentBills, qrCode } = prepare(orm)

  return function screen(deviceId, now) {
    const linked = linkedStores.all({ deviceId })
    const [first] = linked
    if (!first) return NOT_REGISTERED
    const current = linked.flatMap(({ id: storeId }) =>
      currentBills.all({ storeId, now }).map((row) => ({ ...row, paid: row.paidAt !== null })),
    )
    const { store = first, bill, hasEndedBill } = chooseScreen(first.active, linked, current, now)
    const sealedQr = bill && qrCode.get({ id: bill.id })?.qrcode
    return {
      profile: { name: store.name, qr: sealedStores.read(store.id, 'staticQRCode', store.qr) },
      linked: true,
      bill: sealedQr && {
        id: bill.id,
        qr: sealedBills.read(bill.id, 'qrcode', sealedQr),
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
      .orderBy(desc(deviceStores.linkedAt))
      .limit(STORES)
      .prepare(),
    currentBills: orm
      .select({
        id: bills.id,
        amount: bills.amount,
        billNumber: bills.billNumber,
        paidAt: bills.paidAt,
        shownUntil: bills.shownUntil,
        updatedAt: bills.updatedAt,
      })
      .from(bills)
      .where(and(eq(bills.storeId, sql.placeholder('storeId')), gt(bills.shownUntil, sql.placeholder('now'))))
      .orderBy(desc(bills.shownUntil))
      .limit(BILLS)
      .prepare(),
    qrCode: orm
      .select({ qrcode: bills.qrcode })
      .from(bills)
      .where(eq(bills.id, sql.placeholder('id')))
      .prepare(),
  }
}
