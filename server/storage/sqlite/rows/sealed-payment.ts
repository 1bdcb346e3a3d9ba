import type { QrRecord } from '../../../payments/bill.ts'
import type { Vault } from '../../../security/vault.ts'
import { sealedFields } from '../schema/sealed-columns.ts'

/**
 * What of a payment tells of people, sealed as one value because on the path of a callback each seal counts: the
 * first answer, which carries the shop's account and is kept for ever; the bank's words, which often hold names
 * and accounts; and the hash of the content, from which short words could be guessed.
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
      // The vault authenticates what it opens: this is what was sealed above, or by migration 0001.
      return JSON.parse(sealed.read(id, 'sealed', value)) as SealedPayment
    },
  }
}
