import type { Announcement } from '../../announcements/announcement.ts'
import type { Speaker } from '../../devices/device.ts'
import type { QrRecord } from '../../payments/bill.ts'
import type { Payment } from '../../payments/payment.ts'
import type { PaymentRecords, PaymentResult } from '../../payments/ports.ts'
import type { StoragePorts } from '../ports.ts'
import type { Act } from './wire.ts'

/*
 * The acts that a payment is made of cross as JSON, and the largest of them without the names of its properties: a
 * batch is one text. All other acts are rare, and are copied as they are.
 *
 * Why: a copy of an object writes the name of each property, and the other side finds it again in V8's table of names.
 * Of the 85 µs that a callback took of the hub's thread, 12 were such copies.
 * Held by the storage's contract in test/server/storage/writer.test.ts.
 */

/** What is handed to an act, and what it answers, as JSON can carry it; each is written on one side and read on the other. */
export interface Form {
  ask(args: unknown[]): unknown
  asked(packed: unknown): unknown[]
  answer(value: unknown): unknown
  answered(packed: unknown): unknown
}

/** JSON carries it as it is: a property that is undefined is left out, and nothing in an array is. */
const PLAIN: Form = {
  ask: (args) => args,
  asked: (packed) => packed as unknown[],
  answer: (value) => value,
  answered: (packed) => packed,
}

const FORMS: { [P in keyof StoragePorts]?: { [M in keyof StoragePorts[P]]?: Form } } = {
  payments: { record: { ask: rowOfAsked, asked: askedOf, answer: rowOfResult, answered: resultOf } },
  outbox: { recordAck: PLAIN, markSent: PLAIN },
}

/** How an act is packed, if it is. */
export function formOf({ port, method }: Pick<Act, 'port' | 'method'>): Form | undefined {
  const forms: Record<string, Form> | undefined = port && FORMS[port]
  return forms?.[method]
}

type Asked = Parameters<PaymentRecords['record']>

function rowOfAsked([payment, free]: Asked) {
  return [paymentRow(payment), free ?? null] as const
}

function askedOf([payment, free]: ReturnType<typeof rowOfAsked>): Asked {
  return [toPayment(payment), free ?? undefined]
}

/** One that was recorded has five parts, a repeat its answer alone; of the others the kind says all. */
function rowOfResult(result: PaymentResult) {
  switch (result.kind) {
    case 'recorded': {
      const { answer, outcome, bill, announcements, speakers } = result
      const spoken = announcements.map(announcementRow)
      return [recordRow(answer), outcome, bill ?? null, spoken, speakers.map(speakerRow)] as const
    }
    case 'replayed':
      return [recordRow(result.answer)] as const
    case 'conflict':
    case 'store_not_found':
      return result.kind
  }
}

function resultOf(row: ReturnType<typeof rowOfResult>): PaymentResult {
  if (typeof row === 'string') return { kind: row }
  if (row.length === 1) return { kind: 'replayed', answer: toRecord(row[0]) }
  const [answer, outcome, bill, announcements, speakers] = row
  return {
    kind: 'recorded',
    answer: toRecord(answer),
    outcome,
    bill: bill ?? undefined,
    announcements: announcements.map(toAnnouncement),
    speakers: speakers.map(toSpeaker),
  }
}

function paymentRow({
  id,
  clientId,
  terminalID,
  bankCode,
  billNumber,
  amount,
  notice,
  paidAt,
  traceTransfer,
  ftCode,
  dedupeKey,
  contentHash,
  receivedAt,
}: Payment) {
  return [
    id,
    clientId,
    terminalID,
    bankCode,
    billNumber,
    amount,
    notice,
    paidAt,
    traceTransfer,
    ftCode,
    dedupeKey,
    contentHash,
    receivedAt,
  ] as const
}

function toPayment([
  id,
  clientId,
  terminalID,
  bankCode,
  billNumber,
  amount,
  notice,
  paidAt,
  traceTransfer,
  ftCode,
  dedupeKey,
  contentHash,
  receivedAt,
]: ReturnType<typeof paymentRow>): Payment {
  return {
    id,
    clientId,
    terminalID,
    bankCode,
    billNumber,
    amount,
    notice,
    paidAt,
    traceTransfer,
    ftCode,
    dedupeKey,
    contentHash,
    receivedAt,
  }
}

function recordRow({
  id,
  bankName,
  bankCode,
  bankAccountNumber,
  bankAccountName,
  qrcode,
  storeId,
  billNumber,
}: QrRecord) {
  return [id, bankName, bankCode, bankAccountNumber, bankAccountName, qrcode, storeId, billNumber] as const
}

function toRecord([
  id,
  bankName,
  bankCode,
  bankAccountNumber,
  bankAccountName,
  qrcode,
  storeId,
  billNumber,
]: ReturnType<typeof recordRow>): QrRecord {
  return { id, bankName, bankCode, bankAccountNumber, bankAccountName, qrcode, storeId, billNumber }
}

function announcementRow({
  id,
  deviceId,
  serial,
  n,
  stage,
  amount,
  paidBill,
  lang,
  expiresAt,
}: Announcement) {
  return [id, deviceId, serial, n, stage, amount, paidBill, lang, expiresAt] as const
}

function toAnnouncement([id, deviceId, serial, n, stage, amount, paidBill, lang, expiresAt]: ReturnType<
  typeof announcementRow
>): Announcement {
  return { id, deviceId, serial, n, stage, amount, paidBill, lang, expiresAt }
}

function speakerRow({ deviceId, serial, active, lang }: Speaker) {
  return [deviceId, serial, active, lang] as const
}

function toSpeaker([deviceId, serial, active, lang]: ReturnType<typeof speakerRow>): Speaker {
  return { deviceId, serial, active, lang }
}
