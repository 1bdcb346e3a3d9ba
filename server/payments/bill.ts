import type { PaidStore } from '../stores/store.ts'

/** How long the screens show a dynamic QR, counted from its latest change. */
export const BILL_SHOWN_MS = 15 * 60_000

/** A bill with a dynamic QR. Its number is unique within the store. */
export interface Bill {
  id: string
  storeId: string
  billNumber: string
  /** Đồng, as a decimal string. */
  amount: string
  qrcode: string
  paid: boolean
  /** The screens show it until then; milliseconds. */
  shownUntil: number
}

/** The response of dynamic-qr and of the callback (interface 2.3). */
export interface QrRecord
  extends Pick<Bill, 'id' | 'qrcode' | 'storeId' | 'billNumber'>,
    Pick<PaidStore, 'bankName' | 'bankCode' | 'bankAccountNumber' | 'bankAccountName'> {}
