import { type AnnouncementTrail, isoTimes, STAGES, type Stage } from '../announcements/announcement.ts'
import type { Payment } from '../payments/payment.ts'
import type { PaymentView } from '../payments/ports.ts'
import { isoInstant } from '../platform/clock.ts'
import { eventId } from './event-id.ts'

/** The types of events, as partners see them. */
export const EVENT_TYPES = [
  'payment.recorded',
  'bill.paid',
  'announcement.played',
  'announcement.delivered',
  'announcement.missed',
  'announcement.failed',
  'announcement.suppressed',
  'device.registered',
  'device.unregistered',
  'device.locked',
  'device.unlocked',
  'device.online',
  'device.offline',
  'device.battery_low',
  'settings.applied',
  'amount.keyed',
  'webhook.test',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export function isEventType(text: string): text is EventType {
  return EVENT_TYPES.some((type) => type === text)
}

/** The data of an event: ids, amounts, codes and times, and nothing about a payer. */
export type EventData = Readonly<Record<string, unknown>>

/** A fact of one partner. It never changes. */
export interface PartnerEvent {
  /** `evt_` and a ULID. It names the partner, the seq and the time, so it is stored nowhere. */
  id: string
  /** Rises by partner, with gaps. Below 2^53. */
  seq: number
  type: EventType
  /** When the fact happened, milliseconds. */
  at: number
  data: EventData
}

/** An event as it is written for a partner: the same bytes each time. */
export function toEventJson({ id, seq, type, at, data }: PartnerEvent) {
  return { id, seq: String(seq), type, timestamp: isoInstant(at), data }
}

/** The row of an event. Its data are those of the row that it refers to, or its own. */
export interface EventRow {
  seq: number
  at: number
  type: EventType
  /** Of a payment or of an announcement, by the type. Null: the event has data of its own. */
  subject: number | null
  /** JSON. */
  data: string | null
}

/** The fields of a payment in events. */
export interface PaymentFacts
  extends Omit<Payment, 'clientId' | 'notice' | 'dedupeKey' | 'contentHash'>,
    Pick<PaymentView, 'storeId' | 'outcome'> {}

/**
 * The fields of an announcement in events. It has reached its final stage, and changes no more. It has no number
 * when it was suppressed from the start.
 */
export interface AnnouncementFacts extends Pick<AnnouncementTrail, 'n' | 'reason' | 'times'> {
  payment: PaymentFacts
  deviceSerial: string
}

/** The rows that events refer to, by their numbers. */
export interface Subjects {
  payments: ReadonlyMap<number, PaymentFacts>
  announcements: ReadonlyMap<number, AnnouncementFacts>
}

/** The row that an event of this type refers to. Undefined when it has data of its own. */
export function subjectKind(type: EventType): keyof Subjects | undefined {
  if (type === 'payment.recorded' || type === 'bill.paid') return 'payments'
  return type.startsWith('announcement.') ? 'announcements' : undefined
}

/**
 * The events of rows. One whose payment has been deleted is left out: its number may be that of another payment, whose time
 * is later.
 */
export function toEvents(clientId: string, rows: readonly EventRow[], subjects: Subjects): PartnerEvent[] {
  const idOf = eventId(clientId)
  return rows.flatMap((row) => {
    const data = dataOf(row, subjects)
    const { seq, at, type } = row
    return data ? [{ id: idOf(at, seq), seq, type, at, data }] : []
  })
}

function dataOf({ type, at, subject, data }: EventRow, subjects: Subjects): EventData | undefined {
  const kind = subjectKind(type)
  if (kind === undefined || subject === null) return readData(data)
  if (kind === 'announcements') {
    const facts = subjects.announcements.get(subject)
    return facts?.times[stageOf(type)] === at ? announcementData(facts) : undefined
  }
  const payment = subjects.payments.get(subject)
  if (payment?.receivedAt !== at) return undefined
  return type === 'bill.paid' ? billData(payment) : paymentData(payment)
}

/** The data of an event of its own. */
export function readData(data: string | null): EventData {
  return data === null ? {} : JSON.parse(data)
}

/** The final stage of an announcement, by the type of its event. */
function stageOf(type: EventType): Stage {
  const last = STAGES.find((stage) => type === `announcement.${stage}`)
  return last ?? 'expired'
}

function paymentData({ amount, paidAt, receivedAt, outcome, ...payment }: PaymentFacts): EventData {
  const { id, ftCode, traceTransfer, terminalID, storeId, bankCode, billNumber } = payment
  return {
    ...{ id, ftCode, traceTransfer, terminalID, storeId, bankCode, billNumber, transactionAmount: amount },
    ...{ payDate: isoInstant(paidAt), receivedAt: isoInstant(receivedAt), outcome },
  }
}

function billData({ storeId, billNumber, amount, id }: PaymentFacts): EventData {
  return { storeId, billNumber, transactionAmount: amount, paymentId: id }
}

function announcementData({ payment, deviceSerial, n, reason, times }: AnnouncementFacts): EventData {
  const { id: paymentId, ftCode, traceTransfer, storeId, terminalID, amount } = payment
  return {
    ...{ paymentId, ftCode, traceTransfer, storeId, terminalID, transactionAmount: amount, deviceSerial },
    ...(n !== undefined && { n }),
    ...(reason !== undefined && { reason }),
    times: isoTimes(times),
  }
}

/** An event of a device, stored in the commit of its fact. */
export type DeviceEventType = Extract<EventType, `device.${string}` | 'settings.applied' | 'amount.keyed'>

/** Microseconds in a millisecond: the part of a seq that the clock does not give. */
const SEQS_PER_MS = 1_000

/**
 * The lowest seq that an event of this instant can have: seqs follow the clock, so that they rise also after a restore
 * from an older backup, and reveal nothing of other partners.
 */
export function firstSeqAt(at: number): number {
  return Math.max(0, Math.floor(at)) * SEQS_PER_MS
}

/** The instant, as `firstSeqAt` counts it, of a seq. */
export function timeAtSeq(seq: number): number {
  return Math.floor(seq / SEQS_PER_MS)
}
