import type { Bill } from '../../payments/bill.ts'
import type { SealedField, SealedFields } from './sealed-columns.ts'

/** The columns of a bill that the domain knows. */
export interface BillRow {
  id: string
  storeId: string
  billNumber: string
  amount: number
  qrcode: Buffer
  paidAt: number | null
  shownUntil: number
}

/** A bill of the domain. */
export function toBill(sealed: SealedFields<SealedField<'bills'>>, row: BillRow): Bill {
  return {
    id: row.id,
    storeId: row.storeId,
    billNumber: row.billNumber,
    amount: String(row.amount),
    qrcode: sealed.read(row.id, 'qrcode', row.qrcode),
    paid: row.paidAt !== null,
    shownUntil: row.shownUntil,
  }
}
