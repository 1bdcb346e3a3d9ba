import { formatAmount } from '../../../protocol/money/amount.ts'
import { toTransaction } from '../../payments/find-transaction.ts'
import type { PaymentFilter, PaymentView } from '../../payments/ports.ts'
import { readPages } from '../../platform/page.ts'
import { when } from '../for-people.ts'
import { type ListOptions, listing, SHOWN } from './listing.ts'
import { cut, describeTrail, done, fields, type Outcome, printable, refused } from './output.ts'
import type { Workspace } from './workspace.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

interface PaymentListOptions extends ListOptions {
  store?: string
  terminal?: string
  serial?: string
  since?: number
  until?: number
}

/** Lists payments, newest first; those of the last 24 hours (before `until`), unless `since` is given. */
export async function paymentList(
  { storage, clock }: Pick<Workspace, 'storage' | 'clock'>,
  options: PaymentListOptions,
): Promise<Outcome> {
  const { client, store, terminal, serial, since, until } = options
  const from = since ?? (until ?? clock.now()) - DAY_MS
  const filter = { clientId: client, storeId: store, terminalID: terminal, serial, from, until }
  const listed = await listing(
    (page) => storage.lists.payments.page(filter, page),
    { ...options, limit: options.limit ?? SHOWN },
    {
      head: ['RECEIVED', 'AMOUNT', 'TILL', 'SPEAKER', 'CODE'],
      cells: ({ payment, announcements }) => [
        when(payment.receivedAt),
        formatAmount(payment.amount),
        cut(payment.terminalID, 12),
        heard(announcements),
        payment.ftCode || payment.traceTransfer,
      ],
      none: 'No such payment.',
      json: toJson,
    },
  )
  if (since !== undefined) return listed
  return { ...listed, text: `${listed.text}\nThese are of 24 hours: --since 7d looks further back.` }
}

/** Finds payments by a code of theirs, whoever's they are. */
export async function paymentFind(
  { storage, clock }: Pick<Workspace, 'storage' | 'clock'>,
  code: string,
  { client, since }: { client?: string; since?: number },
): Promise<Outcome> {
  const { payments } = storage.lists
  const look = (filter: PaymentFilter) =>
    readPages((page) => payments.page({ clientId: client, code, ...filter }, page), { limit: SHOWN })
  const madeAt = timeOf(code)
  const ofFtCode = await payments.findByFtCode(code)
  let found = ofFtCode.filter(({ payment }) => client === undefined || payment.clientId === client)
  if (found.length === 0 && madeAt !== undefined)
    found = (await look({ from: madeAt - HOUR_MS, until: madeAt + HOUR_MS })).rows
  if (found.length === 0) found = (await look({ from: since ?? clock.now() - FIND_BACK_MS })).rows
  if (found.length === 0)
    return refused(
      { code, payments: [] },
      `No payment has ${code} as its ftCode or id, nor as its traceTransfer or bill number in the last 30 days: --since looks further back.`,
    )
  const texts = await Promise.all(found.map((view) => describe(storage, view)))
  return done({ code, payments: found.map(toJson) }, texts.join('\n\n'))
}

/** Enough for what people ask for, and quick also where digests tell nothing. */
const FIND_BACK_MS = 30 * DAY_MS

/** When an id was made: it is a UUID of version 7. */
function timeOf(id: string): number | undefined {
  const [, high = '', low = ''] =
    /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id) ?? []
  return high === '' ? undefined : Number.parseInt(high + low, 16)
}

function toJson(view: PaymentView) {
  return { ...toTransaction(view), partnerClientId: view.payment.clientId }
}

async function describe(storage: Workspace['storage'], view: PaymentView): Promise<string> {
  const { payment, storeId, outcome, announcements } = view
  const [partner, store] = await Promise.all([
    storage.partners.find(payment.clientId),
    storage.stores.find(payment.clientId, storeId),
  ])
  const about = fields({
    partner: `${payment.clientId} ${partner?.name ?? ''}`,
    shop: `${payment.terminalID} ${store?.storeName ?? ''} (${storeId})`,
    amount: formatAmount(payment.amount),
    outcome,
    bill: payment.billNumber || '-',
    ftCode: payment.ftCode || '-',
    trace: payment.traceTransfer || '-',
    bank: payment.bankCode || '-',
    notice: payment.notice || '-',
    paid: when(payment.paidAt),
    received: when(payment.receivedAt),
  })
  // The stages have a line of their own: with a serial they are longer than a terminal of 80 columns.
  const trails = announcements.flatMap((one) => [`  ${printable(one.serial)}`, `    ${describeTrail(one)}`])
  return [
    `Payment ${payment.id}`,
    about,
    trails.length > 0 ? 'Announcements' : 'The shop had no speaker.',
    ...trails,
  ].join('\n')
}

/** The stages that a payment's announcements have reached. */
function heard(announcements: PaymentView['announcements']): string {
  const counts = Object.entries(Object.groupBy(announcements, ({ stage }) => stage))
  if (announcements.length === 1) return announcements[0]?.stage ?? '-'
  return counts.map(([stage, those]) => `${those.length} ${stage}`).join(', ') || 'none'
}
