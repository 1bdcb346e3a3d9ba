import { createHash } from 'node:crypto'
import type { Payment } from '../../../server/payments/payment.ts'

/** A payment to a shop's static QR, as the hub parses it from a callback. */
export function paymentOf(said: {
  id: string
  clientId: string
  terminalID: string
  ftCode: string
  at: number
}): Payment {
  const { id, clientId, terminalID, ftCode, at } = said
  return {
    ...{ id, clientId, terminalID, bankCode: 'MB', billNumber: '', amount: '50000', ftCode },
    ...{ notice: 'Thanh toan', paidAt: at, traceTransfer: ftCode.slice(2), receivedAt: at },
    dedupeKey: JSON.stringify(['ft', 'MB', ftCode]),
    contentHash: createHash('sha256').update(`${terminalID} ${ftCode}`).digest('hex'),
  }
}
