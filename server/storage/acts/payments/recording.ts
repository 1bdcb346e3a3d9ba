import type { Announcement, PlannedAnnouncement } from '../../../announcements/announcement.ts'
import type { FreeSpeaker } from '../../../announcements/ports.ts'
import type { Speaker } from '../../../devices/device.ts'
import type { Bill } from '../../../payments/bill.ts'
import type { Payment } from '../../../payments/payment.ts'
import type { PaymentRecords, PaymentResult } from '../../../payments/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { PaidStore } from '../../../stores/store.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { createPaymentSealer } from '../../shared/sealed-columns.ts'
import { type LockedDevice, nextNumber } from '../outbox/device-states.ts'

/** What a payment needs of its store. */
export interface Till {
  store: PaidStore
  storeRowId: number
  /** The speakers of the store that are not revoked. */
  speakers: readonly { speaker: Speaker; deviceRowId: number }[]
}

/** A payment with the announcements as they were planned. */
export interface Recorded {
  result: PaymentResult
  planned: readonly PlannedAnnouncement[]
}

export type SettledPayment = ReturnType<ReturnType<typeof createSettle>>
export type AnnouncementInsert = ReturnType<typeof numberAnnouncement>['row']

/** Decides what a new payment means, and what is stored of it. */
export function createSettle(vault: Vault, { settle }: Pick<StorageRules, 'settle'>) {
  const sealer = createPaymentSealer(vault)

  return function settlePayment(payment: Payment, till: Till, bill: Bill | undefined) {
    const { store } = till
    const speakers = till.speakers.map(({ speaker }) => speaker)
    const { outcome, answer, announcements: planned } = settle(payment, { store, bill, speakers })
    const { notice, contentHash } = payment
    const recorded = (announcements: Announcement[]): PaymentResult => {
      const deviceIds = () => speakers.map(({ deviceId }) => deviceId)
      const paidBill = bill && outcome === 'bill_paid' ? { id: bill.id, deviceIds: deviceIds() } : undefined
      return { kind: 'recorded', answer, announcements, paidBill }
    }
    return {
      row: {
        ...payment,
        amount: Number(payment.amount),
        storeId: store.id,
        billId: bill?.id ?? null,
        outcome,
        sealed: sealer.seal(payment.id, { answer, notice, contentHash }),
      },
      planned,
      /** The result, with its announcements as they are stored. */
      recorded,
    }
  }
}

/** The speaker of a planned announcement. */
export function speakerOf({ speakers }: Till, { deviceId }: PlannedAnnouncement): Till['speakers'][number] {
  const found = speakers.find(({ speaker }) => speaker.deviceId === deviceId)
  if (!found) throw new Error('an announcement is for a speaker of the store')
  return found
}

/** Gives a planned announcement its number. No announcement leaves when it is suppressed. */
export function numberAnnouncement(
  { id, deviceId, stage: planned, lang, paidBill, expiresAt }: PlannedAnnouncement,
  { receivedAt, amount }: Pick<Payment, 'receivedAt' | 'amount'>,
  paymentRowId: number,
  { serial }: Speaker,
  device: LockedDevice,
  free: readonly FreeSpeaker[],
) {
  const isQueued = planned === 'queued'
  const n = isQueued ? nextNumber(device) : null
  const claim = free.find((one) => one.deviceId === deviceId)
  // A lower number that its hub does not know may be another announcement, which must be sent first.
  const isFree =
    n !== null && claim !== undefined && claim.sessionId === device.sessionId && n === claim.knownNumber + 1
  const stage = isFree ? ('sent' as const) : planned
  const row = {
    ...{ id, deviceRowId: device.rowId, paymentRowId, n, stage, lang, paidBill, expiresAt },
    amount: Number(amount),
    queuedAt: receivedAt,
    sentAt: isFree ? receivedAt : null,
    suppressedAt: isQueued ? null : receivedAt,
  }
  const announcement: Announcement[] =
    n === null ? [] : [{ id, deviceId, serial, n, stage, amount, paidBill, lang, expiresAt }]
  return { row, announcement }
}

/** Reports the stages of what `record` records: those that were planned, and what the commit has stored as sent. */
export function observedRecord(
  record: (payment: Payment, free: readonly FreeSpeaker[]) => Promise<Recorded>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): PaymentRecords['record'] {
  return async function observed(payment, free = []) {
    const askedAt = performance.now()
    const { result, planned } = await record(payment, free)
    if (result.kind !== 'recorded') return result
    for (const { stage } of planned) observe(stage, 0)
    const sentAfterMs = performance.now() - askedAt
    for (const { stage } of result.announcements) if (stage === 'sent') observe(stage, sentAfterMs)
    return result
  }
}
