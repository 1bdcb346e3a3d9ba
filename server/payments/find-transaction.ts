import { HubError } from '../platform/errors.ts'
import type { PaymentRecords, PaymentView } from './ports.ts'

/** Finds a payment and the stages of its announcements. */
export function findTransaction({ payments }: { payments: PaymentRecords }) {
  return async function findTransaction(clientId: string, ftCode: string): Promise<PaymentView> {
    const found = await payments.findByFtCode(clientId, ftCode)
    if (!found) throw new HubError('TRANSACTION_NOT_FOUND')
    return found
  }
}
