import { HubError } from '../platform/errors.ts'
import type { PaymentRecords, PaymentView } from './ports.ts'

/** A payment with the proof of what every speaker did with it. */
export function findTransaction({ payments }: { payments: PaymentRecords }) {
  return async (clientId: string, ftCode: string): Promise<PaymentView> => {
    const found = await payments.findByFtCode(clientId, ftCode)
    if (!found) throw new HubError('TRANSACTION_NOT_FOUND')
    return found
  }
}
