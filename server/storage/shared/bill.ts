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
export function toBill(sealed: SealedFields<SealedField<'bills'>>, { paidAt, ...row }: BillRow): Bill {
  const qrcode = sealed.read(row.id, 'qrcode', row.qrcode)
  return { ...row, amount: String(row.amount), qrcode, paid: paidAt !== null }
}
