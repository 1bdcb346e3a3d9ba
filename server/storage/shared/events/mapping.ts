import {
  type AnnouncementFacts,
  type EventRow,
  type PaymentFacts,
  readData,
  type Subjects,
  subjectKind,
} from '../../../events/event.ts'
import type { EventOutline, EventQuery } from '../../../events/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type TrailRow, toTrail } from '../payment-mapping.ts'

/** Events that one read looks at to find those of some types: nothing else of the thread runs meanwhile. */
export const LOOKED_AT = 300

/** A row of events of which only a test has data. */
export type OutlineRow = Omit<EventRow, 'subject'>

/** A payment that an event refers to, or an announcement with its payment. */
export type SubjectRow = Omit<PaymentFacts, 'amount' | 'receivedAt'> & {
  subject: number
  amount: number
  paymentReceivedAt: number
} & ({ deviceSerial: null } | (TrailRow & { deviceSerial: string }))

/** The rows that events refer to. */
export function toSubjects(rules: Pick<StorageRules, 'stages'>, rows: readonly SubjectRow[]): Subjects {
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
  return { ...row, data: readData(data) }
}

/** The rows of a page, and where the next one begins, of the rows that a read has looked at. */
export function pageOf(
  looked: readonly EventRow[],
  { after, types, limit }: EventQuery,
): { found: EventRow[]; next: number } {
  const found = looked.filter(({ type }) => types?.includes(type) ?? true).slice(0, limit)
  const last = found.length === limit ? found.at(-1) : looked.at(-1)
  return { found, next: last?.seq ?? after }
}

/** The numbers of the payments or announcements that events refer to. */
export function numbersOf(rows: readonly EventRow[], kind: keyof Subjects): number[] {
  return rows.flatMap(({ type, subject }) => (subjectKind(type) === kind ? (subject ?? []) : []))
}
