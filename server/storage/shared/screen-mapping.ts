import type { ScreenState } from '../../announcements/ports.ts'
import type { ScreenChoice } from '../../announcements/screen.ts'
import type { Vault } from '../../security/vault.ts'
import { sealedFields } from './sealed-columns.ts'

/**
 * The bills of one store that are looked at: those that were put last. A store that puts more in a quarter of an hour,
 * all of which are paid, does not get back to a bill from before them.
 */
export const SCREEN_BILLS = 200
/** The stores of one device that are looked at: those that were linked last. */
export const SCREEN_STORES = 20

export const NOT_REGISTERED: ScreenState = {
  profile: { name: '', qr: '' },
  linked: false,
  bill: undefined,
  hasEndedBill: false,
}

/** What a screen shows of a store. */
export interface ShownStoreRow {
  id: string
  name: string
  qr: Buffer
}

/** What a screen shows of a bill. */
export interface ShownBillRow {
  id: string
  amount: number
  billNumber: string
  qrcode: Buffer
  shownUntil: number
}

export function createScreenMapping(vault: Vault) {
  const [stores, bills] = [sealedFields(vault, 'stores'), sealedFields(vault, 'bills')]

  return function toScreen(
    store: ShownStoreRow,
    bill: ShownBillRow | undefined,
    { isLocked, hasEndedBill }: Pick<ScreenChoice<unknown, unknown>, 'isLocked' | 'hasEndedBill'>,
  ): ScreenState {
    return {
      profile: isLocked
        ? { name: store.name, qr: '', locked: true }
        : { name: store.name, qr: stores.read(store.id, 'staticQRCode', store.qr) },
      linked: true,
      bill: bill && {
        id: bill.id,
        qr: bills.read(bill.id, 'qrcode', bill.qrcode),
        amount: String(bill.amount),
        billNumber: bill.billNumber,
        shownUntil: bill.shownUntil,
      },
      hasEndedBill,
    }
  }
}
