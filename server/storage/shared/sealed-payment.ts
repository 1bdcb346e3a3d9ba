import type { QrRecord } from '../../payments/bill.ts'
import type { Vault } from '../../security/vault.ts'
import { sealedFields } from './sealed-columns.ts'

/**
 * The personal data of a payment, sealed as one value because each seal costs time: the first answer, which holds the
 * store's account; the bank's notice, which often holds names and accounts; and the hash of the content, from which
 * short notices could be guessed.
 */
export interface SealedPayment {
  answer: QrRecord
  notice: string
  /** Hexadecimal. */
  contentHash: string
}

export function createPaymentSealer(vault: Vault) {
  const sealed = sealedFields(vault, 'payments')
  return {
    seal: (id: string, content: SealedPayment): Buffer => sealed.seal(id, 'sealed', JSON.stringify(content)),
    open(id: string, value: Buffer): SealedPayment {
      // The vault opens only values that it has sealed: this one comes from `seal`, or from migration 0001.
      return JSON.parse(sealed.read(id, 'sealed', value)) as SealedPayment
    },
  }
}
