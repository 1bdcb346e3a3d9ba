import { and, desc, eq, gt, inArray, isNull, sql } from 'drizzle-orm'
import type { ScreenState } from '../../../announcements/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { Orm } from '../engine/database.ts'
import { bills, deviceStores, devices, stores } from '../schema/schema.ts'
import { sealedFields } from '../schema/sealed-columns.ts'

const DARK: ScreenState = {
  profile: { name: '', qr: '' },
  linked: false,
  bill: undefined,
  hasEndedBill: false,
}

/** What the screens of a device shall show: its newest shop, and the newest unpaid bill of its shops. */
export function readScreen(orm: Orm, vault: Vault): (deviceId: string, now: number) => ScreenState {
  const sealedStores = sealedFields(vault, 'stores')
  const sealedBills = sealedFields(vault, 'bills')
  const { newestShop, newestUnpaid, anyCurrent } = prepare(orm)

  return (deviceId, now) => {
    const shop = newestShop.get({ deviceId })
    if (!shop) return DARK
    const bill = shop.active ? newestUnpaid.get({ deviceId, now }) : undefined
    return {
      profile: { name: shop.name, qr: sealedStores.read(shop.id, 'staticQRCode', shop.qr) },
      linked: true,
      bill: bill && {
        id: bill.id,
        qr: sealedBills.read(bill.id, 'qrcode', bill.qrcode),
        amount: String(bill.amount),
        billNumber: bill.billNumber,
        shownUntil: bill.shownUntil,
      },
      hasEndedBill: !bill && anyCurrent.get({ deviceId, now }) !== undefined,
    }
  }
}

/** Every birth asks these, and after a restart all speakers are born at once. */
function prepare(orm: Orm) {
  const deviceId = sql.placeholder('deviceId')
  const isMine = inArray(
    bills.storeId,
    orm
      .select({ id: stores.id })
      .from(devices)
      .innerJoin(deviceStores, eq(deviceStores.deviceNumber, devices.number))
      .innerJoin(stores, eq(stores.number, deviceStores.storeNumber))
      .where(eq(devices.id, deviceId)),
  )
  const current = and(isMine, gt(bills.shownUntil, sql.placeholder('now')))
  return {
    newestShop: orm
      .select({ id: stores.id, name: stores.storeName, qr: stores.staticQRCode, active: devices.active })
      .from(deviceStores)
      .innerJoin(stores, eq(stores.number, deviceStores.storeNumber))
      .innerJoin(devices, eq(devices.number, deviceStores.deviceNumber))
      .where(eq(devices.id, deviceId))
      .orderBy(desc(deviceStores.linkedAt), desc(stores.id))
      .limit(1)
      .prepare(),
    newestUnpaid: orm
      .select()
      .from(bills)
      .where(and(current, isNull(bills.paidAt)))
      .orderBy(desc(bills.updatedAt), desc(bills.id))
      .limit(1)
      .prepare(),
    anyCurrent: orm.select({ id: bills.id }).from(bills).where(current).limit(1).prepare(),
  }
}
