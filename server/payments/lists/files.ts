import { isoInstant } from '../../platform/clock.ts'
import type { CsvColumns } from '../../platform/lists/csv.ts'
import { zonedTime } from '../../platform/time/zoned-time.ts'
import { RESULTS, type Result } from '../day-sum.ts'
import type { PaymentView } from '../ports.ts'
import type { Day, StoreDay } from './summarize-day.ts'

/** The columns of a file of payments. `time` formats an instant. */
const transactionColumns = (time: (ms: number) => string): CsvColumns<PaymentView> => ({
  id: ({ payment }) => payment.id,
  ftCode: ({ payment }) => payment.ftCode,
  traceTransfer: ({ payment }) => payment.traceTransfer,
  terminalID: ({ payment }) => payment.terminalID,
  storeId: ({ storeId }) => storeId,
  bankCode: ({ payment }) => payment.bankCode,
  billNumber: ({ payment }) => payment.billNumber,
  transactionAmount: ({ payment }) => Number(payment.amount),
  notice: ({ payment }) => payment.notice,
  payDate: ({ payment }) => time(payment.paidAt),
  receivedAt: ({ payment }) => time(payment.receivedAt),
  outcome: ({ outcome }) => outcome,
  // One for each speaker, separated by semicolons.
  deviceSerial: ({ announcements }) => announcements.map(({ serial }) => serial).join(';'),
  stage: ({ announcements }) => announcements.map((one) => one.stage).join(';'),
  playedAt: ({ announcements }) =>
    announcements.map(({ times }) => (times.played === undefined ? '' : time(times.played))).join(';'),
})

/** The name and the columns of a file of the payments of a period. Without a zone its times are in UTC. */
export function transactionFile(
  { from, until }: { from: number; until: number },
  { zone }: { zone?: string | undefined },
) {
  const zoned = zonedTime(zone ?? 'UTC')
  /** To the minute, and without colons: some systems do not allow them in a name. */
  const inName = (ms: number) =>
    zoned(ms)
      .replace(/:\d\d\.\d+/, '')
      .replaceAll(':', '')
  return {
    name: `payments-${inName(from)}-${inName(until)}.csv`,
    columns: transactionColumns(zone === undefined ? isoInstant : zoned),
  }
}

const resultColumns = (name: Result): CsvColumns<StoreDay> => ({
  [`${name}Count`]: ({ results }) => results[name].count,
  [`${name}Amount`]: ({ results }) => String(results[name].amount),
})

/** The columns of a file of a day. Later ones come last, because a reader may go by position. */
const summaryColumns = ({ date, zone }: Day): CsvColumns<StoreDay> => ({
  storeId: ({ storeId }) => storeId,
  terminalID: ({ terminalID }) => terminalID,
  storeName: ({ storeName }) => storeName,
  count: ({ count }) => count,
  amount: ({ amount }) => String(amount),
  ...Object.assign({}, ...RESULTS.filter((name) => name !== 'delivered').map(resultColumns)),
  date: () => date,
  zone: () => zone,
  ...resultColumns('delivered'),
})

/** The name and the columns of a file of a day by store. */
export const summaryFile = (day: Day) => ({
  name: `summary-${day.date}-${day.zone.replaceAll('/', '-')}.csv`,
  columns: summaryColumns(day),
})
