/** The relation of a payment to its bill. */
export type PaymentOutcome =
  /** The bill's amount: the bill is paid. */
  | 'bill_paid'
  /** Another amount: announced as paid, and the bill stays open and is marked. */
  | 'amount_mismatch'
  /** The bill was already paid: announced and marked. */
  | 'bill_already_paid'
  /** No bill has this number: a payment to the shop's static QR. */
  | 'static_qr'

/** A payment as the processor reported it. An absent text is an empty string. */
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
  /** SHA-256 of the report, hexadecimal. Reports of the same payment must have the same content. */
  contentHash: string
  receivedAt: number
}
