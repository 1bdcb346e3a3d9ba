import { v7 as uuidv7 } from 'uuid'
import { createRandomIds, createRandomPool } from '../../../server/platform/ids.ts'
import type { Vault } from '../../../server/security/vault.ts'
import {
  createSettle,
  numberAnnouncement,
  type Till,
} from '../../../server/storage/acts/payments/recording.ts'
import { hubRules } from '../../../server/storage/rules.ts'
import { sealedFields } from '../../../server/storage/shared/sealed-columns.ts'
import { paymentOf } from '../growth/payment.ts'
import { MISSED_SHARE, OPEN_SHARE } from '../growth/seed.ts'
import { BANK, type Size, seededShop, shopIndex, staticQrOf } from '../growth/shop-rows.ts'
import type { Value } from './copy.ts'
import { rowNumberOf, seqOf } from './periods.ts'

export const DAY_MS = 24 * 60 * 60_000
/** The payments are spread over this time, up to now. */
export const DAYS = 90
/** One payment of so many pays a bill. The others are paid to the shop's static QR. */
const BILL_EVERY = 10
const BILL_SHOWN_MS = 15 * 60_000
/** How long after its payment an announcement reaches each stage. */
const [SENT_MS, RECEIVED_MS, PLAYED_MS] = [20, 40, 3_000]

/** The row number of a shop: of its store, and of its device. */
export const shopNumberOf = (index: number) => index + 1

/** The tables of a history, with the columns that it fills. */
export const COLUMNS = {
  payments:
    'number id client_id store_id bill_id dedupe_key outcome terminal_id bank_code bill_number amount paid_at trace_transfer ft_code sealed received_at',
  payment_keys: 'client_id ft_code dedupe_key payment_number received_at',
  announcements:
    'number id device_number payment_number n stage amount paid_bill lang expires_at queued_at sent_at received_at played_at expired_at',
  open_announcements: 'number device_number n expires_at',
  events: 'client_id seq at type subject',
  bills: 'id store_id bill_number amount qrcode paid_at shown_until created_at updated_at',
}
export type HistoryTable = keyof typeof COLUMNS

/** A seeded shop, as a payment finds it. */
export interface PaidShop {
  storeId: string
  deviceId: string
}

interface Past {
  clientId: string
  shops: readonly PaidShop[]
  size: Size
  /** Of partitions: see `layPeriods`. */
  periods: number
  startedAt: number
}

/** Makes the rows of past payments, as the hub's own acts would have stored them. Call it by rising index. */
export function createHistory(vault: Vault, { clientId, shops, size, periods, startedAt }: Past) {
  const settle = createSettle(vault, hubRules(createRandomIds()))
  const sealedBills = sealedFields(vault, 'bills')
  const tills = shops.map(tillOf)
  const stageAt = createStages(size)
  const rng = createRandomPool(16)
  const idAt = (msecs: number) => uuidv7({ msecs, rng })

  function billOf(at: number, storeId: string, index: number) {
    if (index % BILL_EVERY !== 0) return undefined
    const qrcode = `dynamic QR of bill ${index}`
    return {
      id: idAt(at),
      storeId,
      billNumber: `B${index}`,
      amount: '50000',
      qrcode,
      paid: false,
      shownUntil: 0,
    }
  }

  return {
    /** What payments have added up to, by shop. */
    tills: tills as readonly HistoryTill[],

    *rowsOf(index: number): Generator<[HistoryTable, Value[]]> {
      const number = rowNumberOf(index, { periods, payments: size.payments })
      const at = startedAt + Math.floor((index / size.payments) * DAYS * DAY_MS)
      const till = tills[shopIndex(index, size)]
      if (!till) throw new Error('a shop of the history')
      const storeId = till.store.id
      const bill = billOf(at, storeId, index)
      const payment = {
        ...paymentOf({
          ...{ id: idAt(at), clientId, at, ftCode: `FT${index}` },
          terminalID: till.terminalID,
        }),
        billNumber: bill?.billNumber ?? '',
      }
      const { row, planned } = settle(payment, till, bill)
      till.count += 1
      till.amount += row.amount
      yield [
        'payments',
        [
          ...[number, row.id, clientId, storeId, row.billId, row.dedupeKey, row.outcome, row.terminalID],
          ...[row.bankCode, row.billNumber, row.amount, row.paidAt, row.traceTransfer, row.ftCode],
          ...[row.sealed, at],
        ],
      ]
      yield ['payment_keys', [clientId, row.ftCode, row.dedupeKey, number, at]]
      yield ['events', [clientId, seqOf(at), at, 'payment.recorded', number]]
      if (bill) {
        const qrcode = sealedBills.seal(bill.id, 'qrcode', bill.qrcode)
        yield [
          'bills',
          [bill.id, storeId, bill.billNumber, row.amount, qrcode, at, at + BILL_SHOWN_MS, at, at],
        ]
        yield ['events', [clientId, seqOf(at, 1), at, 'bill.paid', number]]
      }
      for (const one of planned) yield* announced(numberOf(one, till, payment, number), number, index)
    },
  }

  function* announced(
    { id, deviceRowId, n, amount, paidBill, lang, expiresAt, queuedAt }: Numbered,
    number: number,
    index: number,
  ): Generator<[HistoryTable, Value[]]> {
    const stage = stageAt(index)
    const playedAt = stage === 'played' ? queuedAt + PLAYED_MS : null
    const heard = playedAt === null ? [null, null] : [queuedAt + SENT_MS, queuedAt + RECEIVED_MS]
    const expiredAt = stage === 'expired' ? expiresAt : null
    yield [
      'announcements',
      [
        ...[number, id, deviceRowId, number, n, stage, amount, paidBill, lang, expiresAt, queuedAt],
        ...[...heard, playedAt, expiredAt],
      ],
    ]
    if (stage === 'queued') yield ['open_announcements', [number, deviceRowId, n, expiresAt]]
    if (playedAt !== null)
      yield ['events', [clientId, seqOf(playedAt, 2), playedAt, 'announcement.played', number]]
    if (expiredAt !== null)
      yield ['events', [clientId, seqOf(expiredAt, 3), expiredAt, 'announcement.missed', number]]
  }
}

type Numbered = ReturnType<typeof numberOf>

function numberOf(
  planned: Parameters<typeof numberAnnouncement>[0],
  till: HistoryTill,
  payment: Parameters<typeof numberAnnouncement>[1],
  number: number,
) {
  return numberAnnouncement(planned, payment, number, till.speakers[0].speaker, till.device, []).row
}

export type HistoryTill = ReturnType<typeof tillOf>

function tillOf({ storeId, deviceId }: PaidShop, index: number) {
  const { terminalID, serial } = seededShop(index)
  const number = shopNumberOf(index)
  const speaker = { deviceId, serial, active: true, lang: 'vi' as const }
  const store = {
    ...{ id: storeId, bankName: BANK.bank_name, bankCode: BANK.bank_code },
    ...{ bankAccountNumber: BANK.bank_account_number, bankAccountName: BANK.bank_account_name },
    staticQRCode: staticQrOf(index),
  }
  return {
    ...{ terminalID, store, storeRowId: number, speakers: [{ speaker, deviceRowId: number }] as const },
    ...{ device: { rowId: number, n: 0, stored: 0, sessionId: null }, count: 0, amount: 0 },
  } satisfies Till & Record<string, unknown>
}

/** The stage of the announcement of each payment: the newest are open, some before them were missed, the others played. */
export function createStages({
  payments,
  devices,
}: Size): (index: number) => 'queued' | 'expired' | 'played' {
  const openFrom = payments - Math.ceil(devices * OPEN_SHARE)
  const missedFrom = openFrom - Math.ceil(devices * MISSED_SHARE)
  return (index) => (index >= openFrom ? 'queued' : index >= missedFrom ? 'expired' : 'played')
}
