/** For how long a dynamic QR stays on the screens, counted from its latest change. */
export const BILL_SHOWN_MS = 15 * 60_000

/** A bill that a partner made a dynamic QR for; its number is unique within the store. */
export interface Bill {
  id: string
  storeId: string
  billNumber: string
  /** Đồng, as a decimal string. */
  amount: string
  qrcode: string
  paid: boolean
  /** Until when the screens show it, milliseconds. */
  shownUntil: number
}

/** The record that dynamic-qr and the callback answer with (interface 2.3). */
export interface QrRecord {
  id: string
  bankName: string
  bankCode: string
  bankAccountNumber: string
  bankAccountName: string
  qrcode: string
  storeId: string
  billNumber: string
}
