import {
  type AnnouncementFacts,
  type EventRow,
  type PartnerEvent,
  type PaymentFacts,
  type Subjects,
  subjectKind,
  toEvents,
} from '../../../events/event.ts'
import type { EventOutline, EventQuery } from '../../../events/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type TrailRow, toTrail } from '../payment-mapping.ts'

/** Events that one read looks at to find those of some types: nothing else of the thread runs meanwhile. */
export const LOOKED_AT = 300

/** A row of events. */
export interface StoredEventRow extends Omit<EventRow, 'data'> {
  /** JSON. */
  data: string | null
}

/** A row of events of which only a test has data. */
export type OutlineRow = Omit<StoredEventRow, 'subject'>

/** A payment that an event refers to, or an announcement with its payment. */
export type SubjectRow = Omit<PaymentFacts, 'amount' | 'receivedAt'> & {
  subject: number
  amount: number
  paymentReceivedAt: number
} & ({ deviceSerial: null } | (TrailRow & { deviceSerial: string }))

function toSubjects(rules: Pick<StorageRules, 'stages'>, rows: readonly SubjectRow[]): Subjects {
  const payments = new Map<number, PaymentFacts>()
  const announcements = new Map<number, AnnouncementFacts>()
  for (const row of rows) {
    const payment = { ...row, amount: String(row.amount), receivedAt: row.paymentReceivedAt }
    if (row.deviceSerial === null) {
      payments.set(row.subject, payment)
      continue
    }
    const { n, reason, times, serial: deviceSerial } = toTrail(rules, row, row.deviceSerial)
    announcements.set(row.subject, { payment, deviceSerial, n, reason, times })
  }
  return { payments, announcements }
}

export function toOutline({ data, ...row }: OutlineRow): EventOutline {
  return { ...row, data: data === null ? {} : JSON.parse(data) }
}

/** The rows of a page, and where the next one begins, of the rows that a read has looked at. */
export function pageOf(
  looked: readonly StoredEventRow[],
  { after, types, limit }: EventQuery,
): { found: StoredEventRow[]; next: number } {
  const found = looked.filter(({ type }) => types?.includes(type) ?? true).slice(0, limit)
  const last = found.length === limit ? found.at(-1) : looked.at(-1)
  return { found, next: last?.seq ?? after }
}

/** The numbers of the payments or announcements that events refer to. */
export function numbersOf(rows: readonly StoredEventRow[], kind: keyof Subjects): number[] {
  return rows.flatMap(({ type, subject }) => (subjectKind(type) === kind ? (subject ?? []) : []))
}

/** The events of rows, with the rows that they refer to. */
export function toStoredEvents(
  clientId: string,
  rows: readonly StoredEventRow[],
  subjects: readonly SubjectRow[],
  rules: Pick<StorageRules, 'stages'>,
): PartnerEvent[] {
  const parsed = rows.map((row) => ({ ...row, data: row.data === null ? null : JSON.parse(row.data) }))
  return toEvents(clientId, parsed, toSubjects(rules, subjects))
}
