import type { QrRecord } from '../../payments/bill.ts'
import type { Vault } from '../../vault.ts'

/** A payment's first answer is kept for ever, and sealed: it carries the shop's account. */
const place = (paymentId: string) => `payments/${paymentId}/answer`

export function sealAnswer(vault: Vault, paymentId: string, answer: QrRecord): Buffer {
  return vault.seal(place(paymentId), JSON.stringify(answer))
}

export function openAnswer(vault: Vault, paymentId: string, sealed: Buffer): QrRecord {
  // The vault authenticates what it opens: this is the record that was sealed above.
  return JSON.parse(vault.open(place(paymentId), sealed).toString('utf8')) as QrRecord
}
