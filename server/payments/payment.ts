/** How a payment met its bill. */
export type PaymentOutcome =
  /** The bill's own amount: the bill is paid. */
  | 'bill_paid'
  /** Another amount than the bill's: announced as it is, the bill stays open and marked. */
  | 'amount_mismatch'
  /** The bill was paid before: announced, and marked. */
  | 'bill_already_paid'
  /** No bill of that number: the shop's static QR was paid. */
  | 'static_qr'

/** A payment as the processor reported it, parsed. Text fields that were absent are empty strings. */
export interface Payment {
  id: string
  clientId: string
  terminalID: string
  bankCode: string
  billNumber: string
  /** Đồng, as a decimal string. */
  amount: string
  notice: string
  /** The instant of `payDate`, milliseconds. */
  paidAt: number
  traceTransfer: string
  ftCode: string
  /** Equal for all reports of the same payment. */
  dedupeKey: string
  /** SHA-256 of what was reported, hexadecimal: the same payment must say the same. */
  contentHash: string
  receivedAt: number
}
