import { isoTimes } from '../announcements/announcement.ts'
import { isoInstant } from '../platform/clock.ts'
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

/** A payment and the stages of its announcements, as the API and the command line write it. */
export function toTransaction({ payment, storeId, outcome, announcements }: PaymentView) {
  const { id, ftCode, traceTransfer, terminalID, bankCode, billNumber, amount, notice, paidAt, receivedAt } =
    payment
  return {
    ...{ id, ftCode, traceTransfer, terminalID, storeId, bankCode, billNumber, notice, outcome },
    transactionAmount: amount,
    payDate: isoInstant(paidAt),
    receivedAt: isoInstant(receivedAt),
    announcements: announcements.map(({ serial, n, stage, times, reason, proof, mayRepeat }) => ({
      deviceSerial: serial,
      ...(n !== undefined && { n }),
      stage,
      times: isoTimes(times),
      ...(reason !== undefined && { reason }),
      ...(proof !== undefined && { proof }),
      ...(mayRepeat && { mayRepeat }),
    })),
  }
}
