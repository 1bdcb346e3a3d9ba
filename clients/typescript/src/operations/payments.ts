import type { CallOptions } from '../calls/options.ts'
import type { PaymentCallbackRequestDto } from '../generated/types.ts'
import type { Payment } from './checksum.ts'
import { rowsOf } from './lists.ts'
import type { Answer, Query, Rows } from './sender.ts'
import { StoreOperations } from './stores.ts'

/** Payments, and their sums for a day. */
export class PaymentOperations extends StoreOperations {
  /**
   * Reports a payment, signed with the client secret. When it resolves, the payment is on disk. Reported again, it gets the
   * same answer and is neither counted nor spoken twice. Keep what rejects with a temporary error (`isTemporary`), and report
   * it again; all other errors need a person. A `checkSum` of your own is sent as it is.
   */
  async reportPayment(
    payment: Payment & { checkSum?: string },
    options?: CallOptions,
  ): Answer<'reportPayment'> {
    const checkSum = payment.checkSum ?? (await this.sign(payment))
    const body: PaymentCallbackRequestDto = { ...payment, checkSum }
    return this.send('reportPayment', { body }, options)
  }

  /** A page of payments. `payments` goes through all. Without `from`, those of the last 24 hours. */
  searchPayments(query?: Query<'searchPayments'>, options?: CallOptions) {
    return this.send('searchPayments', { query }, options)
  }

  /** All payments that a search finds, newest first. */
  payments(query: Query<'searchPayments'> = {}, options?: CallOptions): Rows<'searchPayments'> {
    return rowsOf(query, (page) => this.searchPayments(page, options))
  }

  /** All payments that a search finds, as a whole CSV file. */
  searchPaymentsCsv(query?: Query<'searchPayments'>, options?: CallOptions) {
    return this.csv('searchPayments', query, options)
  }

  /** The payment with this code, and how far each speaker's announcement is. */
  getTransaction(ftCode: string, options?: CallOptions) {
    return this.send('getTransaction', { path: { ftCode } }, options)
  }

  /** A page of the stores with payments on a day. `dayByStore` goes through all. */
  summarizeDay(query?: Query<'summarizeDay'>, options?: CallOptions) {
    return this.send('summarizeDay', { query }, options)
  }

  /** All stores with payments on a day. */
  dayByStore(query: Query<'summarizeDay'> = {}, options?: CallOptions): Rows<'summarizeDay'> {
    return rowsOf(query, (page) => this.summarizeDay(page, options))
  }

  /** All stores with payments on a day, as a whole CSV file. */
  summarizeDayCsv(query?: Query<'summarizeDay'>, options?: CallOptions) {
    return this.csv('summarizeDay', query, options)
  }
}
