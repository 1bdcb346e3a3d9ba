import { and, desc, eq, gt, inArray, isNull } from 'drizzle-orm'
import type { ScreenState } from '../../delivery/ports.ts'
import type { Vault } from '../../vault.ts'
import type { Orm } from './database.ts'
import { bills, deviceStores, devices, stores } from './schema.ts'
import { sealedFields } from './sealed-columns.ts'

/** What the screens of a device shall show: its newest shop, and the newest unpaid bill of its shops. */
export function readScreen(orm: Orm, vault: Vault): (deviceId: string, now: number) => ScreenState {
  const sealedStores = sealedFields(vault, 'stores')
  const sealedBills = sealedFields(vault, 'bills')

  return (deviceId, now) => {
    const linked = orm
      .select({ id: stores.id, name: stores.storeName, qr: stores.staticQRCode, active: devices.active })
      .from(deviceStores)
      .innerJoin(stores, eq(stores.id, deviceStores.storeId))
      .innerJoin(devices, eq(devices.id, deviceStores.deviceId))
      .where(eq(deviceStores.deviceId, deviceId))
      .orderBy(desc(deviceStores.linkedAt), desc(stores.id))
      .all()
    const newest = linked[0]
    if (!newest) return { profile: { name: '', qr: '' }, linked: false, bill: undefined, hasEndedBill: false }
    const storeIds = linked.map((store) => store.id)
    const current = and(inArray(bills.storeId, storeIds), gt(bills.shownUntil, now))
    const unpaid = and(current, isNull(bills.paidAt))
    const bill = newest.active
      ? orm.select().from(bills).where(unpaid).orderBy(desc(bills.updatedAt), desc(bills.id)).limit(1).get()
      : undefined
    return {
      profile: { name: newest.name, qr: sealedStores.read(newest.id, 'staticQRCode', newest.qr) },
      linked: true,
      bill: bill && {
        id: bill.id,
        qr: sealedBills.read(bill.id, 'qrcode', bill.qrcode),
        amount: String(bill.amount),
        billNumber: bill.billNumber,
        shownUntil: bill.shownUntil,
      },
      hasEndedBill:
        !bill && orm.select({ id: bills.id }).from(bills).where(current).limit(1).get() !== undefined,
    }
  }
}
