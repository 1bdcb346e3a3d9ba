import { hash } from 'node:crypto'
import type { Announcer, Screens } from '../delivery/ports.ts'
import type { PartnerRecords } from '../partners/ports.ts'
import { createBoundedMap } from '../platform/bounded-map.ts'
import type { Clock } from '../platform/clock.ts'
import { isoInstant } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import type { QrRecord } from './bill.ts'
import type { SignedFields } from './canonical-string.ts'
import { isSigned } from './checksum.ts'
import { explainChecksum } from './checksum-hints.ts'
import type { Payment } from './payment.ts'
import type { PaymentRecords, PaymentResult } from './ports.ts'

/** A callback whose fields are well-formed, with its strings exactly as received. */
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

/** Tills whose speakers are remembered. */
const TILLS = 10_000

/**
 * Takes a payment processor's word that money has arrived:
 *  1. verify the checksum,
 *  2. record payment, totals, bill and announcements in one durable commit; the speakers that said the till's last
 *     payment are likely to say this one, so that those that are free can be noted as told by the same commit,
 *  3. hand the announcements to delivery, without waiting for any speaker,
 *  4. answer; a payment that is reported again gets its first answer again.
 */
export function recordCallback(deps: CallbackDeps) {
  const speakersOf = createBoundedMap<string[]>(TILLS)
  /** Speakers that a payment under way will be told to: to the next one they are not free. */
  const taken = new Set<string>()

  async function record(till: string, payment: Payment): Promise<PaymentResult> {
    const isFree = (deviceId: string) => deps.announcer.isFree(deviceId) && !taken.has(deviceId)
    const free = speakersOf.get(till)?.filter(isFree) ?? []
    for (const deviceId of free) taken.add(deviceId)
    try {
      return await deps.payments.record(payment, free)
    } finally {
      for (const deviceId of free) taken.delete(deviceId)
    }
  }

  return async (clientId: string, callback: Callback): Promise<{ record: QrRecord; replayed: boolean }> => {
    const secrets = await deps.partners.liveSecrets(clientId, deps.clock.now())
    verifyChecksum(
      secrets.map((live) => live.secret),
      clientId,
      callback,
    )
    const payment = toPayment(clientId, callback, deps)
    const till = `${clientId} ${payment.terminalID}`
    const result = await record(till, payment)
    switch (result.kind) {
      case 'store_not_found':
        throw new HubError('BODY_STORE_NOT_FOUND', {
          details: [{ field: 'terminalID', issue: 'is not the terminal of a store of yours' }],
        })
      case 'conflict':
        throw new HubError('TRANSACTION_CONFLICT', {
          details: [
            {
              field: callback.ftCode === '' ? 'traceTransfer' : 'ftCode',
              issue: 'was reported before with other content',
            },
          ],
        })
      case 'replayed':
        return { record: result.answer, replayed: true }
      case 'recorded':
        deps.announcer.announce(result.announcements)
        speakersOf.set(
          till,
          result.announcements.map(({ deviceId }) => deviceId),
        )
        if (result.bill && result.outcome === 'bill_paid')
          deps.screens.clearBill(
            result.speakers.map((speaker) => speaker.deviceId),
            result.bill.id,
          )
        return { record: result.answer, replayed: false }
    }
  }
}

function verifyChecksum(secrets: string[], clientId: string, callback: Callback) {
  const signed = (payDateIso: string) => isSigned(callback, payDateIso, callback.checkSum, secrets)
  // As sent first: most sign that, and need no date written anew.
  if (signed(callback.payDate) || signed(isoInstant(callback.paidAt))) return
  const hint = explainChecksum(callback, callback.checkSum, secrets, clientId)
  throw new HubError('CHECKSUM_MISMATCH', {
    details: [
      {
        field: 'checkSum',
        issue:
          hint ??
          'does not match the other fields under your client secret: /docs/checksum of this hub shows where yours differs',
      },
    ],
  })
}

function toPayment(clientId: string, callback: Callback, { clock, ids }: CallbackDeps): Payment {
  const { terminalID, bankCode, billNumber, transactionAmount, notice, paidAt, traceTransfer, ftCode } =
    callback
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
    dedupeKey: JSON.stringify(
      ftCode === '' ? ['trace', bankCode, traceTransfer, paidAt] : ['ft', bankCode, ftCode],
    ),
    contentHash: contentHash(callback),
    receivedAt: clock.now(),
  }
}

/** What a payment says, whichever way its date was written. */
function contentHash(callback: Callback): string {
  const { terminalID, bankCode, billNumber, transactionAmount, notice, paidAt, traceTransfer, ftCode } =
    callback
  const content = [terminalID, bankCode, billNumber, transactionAmount, notice, paidAt, traceTransfer, ftCode]
  return hash('sha256', JSON.stringify(content), 'hex')
}
