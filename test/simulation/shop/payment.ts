import { createHmac } from 'node:crypto'
import type { SignedFields } from '../../../server/payments/canonical-string.ts'
import { checksumOf } from '../../support/callback.ts'
import type { SignedCallback } from '../hub/door.ts'
import type { Partner, Till } from './town.ts'

/**
 * Each payment of a world has an amount of its own, a power of two: a spoken amount names its payment, and a sum
 * every payment in it. The largest is within the largest amount of one payment (sb/1 14).
 */
export const MOST_PAYMENTS = 43

/** Money that a customer has moved, and that a processor reports. */
export interface MovedMoney {
  /** 0 to 42: its amount is two to this power. */
  index: number
  till: Till
  amount: string
  callback: SignedCallback
}

/** Without a transaction code a payment is known by its trace and date. */
export function movedMoney({
  index,
  till,
  billNumber,
  at,
  hasCode,
}: {
  index: number
  till: Till
  billNumber: string
  at: number
  hasCode: boolean
}): MovedMoney {
  const amount = String(2 ** index)
  const fields = {
    terminalID: till.terminalID,
    bankCode: 'MB',
    billNumber,
    transactionAmount: amount,
    notice: 'Thanh toan',
    payDate: new Date(at).toISOString(),
    traceTransfer: `TRACE-${index}`,
    ftCode: hasCode ? `FT-${index}` : '',
  }
  return { index, till, amount, callback: signed(fields, till.partner) }
}

function signed(fields: SignedFields, { clientSecret }: Partner): SignedCallback {
  return { ...fields, checkSum: checksumOf(clientSecret, fields) }
}

/** The same payment with other content, signed. */
export function contradicting({ callback, till }: MovedMoney): SignedCallback {
  return signed({ ...callback, notice: 'something else' }, till.partner)
}

/** The same payment as another partner's processor would report it. */
export function trespassing({ callback }: MovedMoney, intruder: Partner): SignedCallback {
  return signed(callback, intruder)
}

/** The same payment under a checksum of somebody else. */
export function forged({ callback }: MovedMoney): SignedCallback {
  return { ...callback, checkSum: createHmac('sha256', 'a guess').update(callback.notice).digest('hex') }
}

/** Which payments a sum is made of. */
export function indicesOf(sum: string): number[] {
  const bits = BigInt(sum)
  return Array.from({ length: MOST_PAYMENTS }, (_, index) => index).filter(
    (index) => ((bits >> BigInt(index)) & 1n) === 1n,
  )
}
