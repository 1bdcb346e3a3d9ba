import { hash } from 'node:crypto'
import type { Announcer } from '../announcements/ports.ts'
import type { Screens } from '../devices/ports.ts'
import type { PartnerRecords } from '../partners/ports.ts'
import { type Clock, isoInstant } from '../platform/clock.ts'
import { fieldError, type HubError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import type { QrRecord } from './bill.ts'
import type { SignedFields } from './canonical-string.ts'
import { isSigned } from './checksum.ts'
import { explainChecksum } from './checksum-hints.ts'
import type { Payment } from './payment.ts'
import type { PaymentRecords } from './ports.ts'

/** A callback with well-formed fields; its strings are exactly as received. */
export interface Callback extends SignedFields {
  checkSum: string
  /** The instant of `payDate`, milliseconds. */
  paidAt: number
}

export interface CallbackDeps {
  partners: PartnerRecords
  payments: PaymentRecords
  announcer: Announcer
  screens: Screens
  clock: Clock
  ids: Ids
}

/**
 * Records a payment that the processor reports. `admitRefused` counts a callback that is refused, before any further work,
 * and throws when the partner's quota is used up:
 *  1. verify the checksum; one that is wrong is explained only within the limit of requests,
 *  2. record payment, totals, bill and announcements in one durable commit,
 *  3. send the announcements, without waiting for any speaker,
 *  4. answer. A payment that is reported again gets its first answer again.
 */
export function recordCallback(deps: CallbackDeps) {
  const { partners, payments, announcer, screens, clock } = deps

  return async function recordCallback(
    clientId: string,
    callback: Callback,
    admitRefused: () => void,
  ): Promise<{ record: QrRecord; replayed: boolean }> {
    const live = await partners.liveSecrets(clientId, clock.now())
    const secrets = live.map(({ secret }) => secret)
    if (!isSigned(callback, () => isoInstant(callback.paidAt), callback.checkSum, secrets)) {
      admitRefused()
      throw checksumMismatch(secrets, clientId, callback)
    }
    const payment = toPayment(clientId, callback, deps)
    const storeKey = `${clientId} ${payment.terminalID}`
    const result = await announcer.claim(storeKey, (speakers) => payments.record(payment, speakers))
    switch (result.kind) {
      case 'store_not_found':
        throw fieldError('BODY_STORE_NOT_FOUND', 'terminalID', 'is not the terminal of a store of yours')
      case 'conflict': {
        const field = callback.ftCode === '' ? 'traceTransfer' : 'ftCode'
        throw fieldError('TRANSACTION_CONFLICT', field, 'was reported before with other content')
      }
      case 'replayed':
        return { record: result.answer, replayed: true }
      case 'recorded':
        announcer.announce(result.announcements, storeKey, payment.receivedAt)
        if (result.paidBill) screens.clearBill(result.paidBill.deviceIds, result.paidBill.id)
        return { record: result.answer, replayed: false }
    }
  }
}

/** Tries some twenty wrong recipes for each secret. */
function checksumMismatch(secrets: string[], clientId: string, callback: Callback): HubError {
  const hint = explainChecksum(callback, callback.checkSum, secrets, clientId)
  const issue =
    hint ?? 'is not the HMAC of the other fields under your client secret: compare at /docs/checksum'
  return fieldError('CHECKSUM_MISMATCH', 'checkSum', issue)
}

function toPayment(clientId: string, callback: Callback, { clock, ids }: CallbackDeps): Payment {
  const { terminalID, bankCode, billNumber, transactionAmount, notice } = callback
  const { paidAt, traceTransfer, ftCode } = callback
  // Equal for equal payments, however their date was written.
  const content = [terminalID, bankCode, billNumber, transactionAmount, notice, paidAt, traceTransfer, ftCode]
  const identity = ftCode === '' ? ['trace', bankCode, traceTransfer, paidAt] : ['ft', bankCode, ftCode]
  return {
    id: ids.uuid(),
    clientId,
    terminalID,
    bankCode,
    billNumber,
    amount: transactionAmount,
    notice,
    paidAt,
    traceTransfer,
    ftCode,
    dedupeKey: JSON.stringify(identity),
    contentHash: hash('sha256', JSON.stringify(content), 'hex'),
    receivedAt: clock.now(),
  }
}
