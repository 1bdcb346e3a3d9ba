import type { FreeSpeaker } from '../../../announcements/ports.ts'
import type { Payment, PaymentOutcome } from '../../../payments/payment.ts'
import type { PaymentRecords, PaymentResult } from '../../../payments/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import { type Act, type Engine, together } from '../../acts/act.ts'
import type { DeviceStates, LockedDevice } from '../../acts/outbox/device-states.ts'
import {
  createSettle,
  numberAnnouncement,
  observedRecord,
  type Recorded,
  type SettledPayment,
  speakerOf,
  type Till,
} from '../../acts/payments/recording.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type BillRow, toBill } from '../../shared/bill.ts'
import { createPaymentSealer, sealedFields } from '../../shared/sealed-columns.ts'
import { unavailable } from '../../shared/storage-errors.ts'
import { createStoreMapping } from '../../shared/store-mapping.ts'
import {
  type BillChange,
  insertKeys,
  lockBills,
  readKnown,
  type Totals,
  takePaymentNumbers,
  type Writes,
  write,
} from './payment/statements.ts'
import { keyOfTill, lockDevicesOfTills, openOnce, readTills } from './payment/tills.ts'

/** Batches for one payment. It goes into another batch when a speaker of its store was registered meanwhile. */
const MOST_BATCHES = 10

interface Call {
  payment: Payment
  free: readonly FreeSpeaker[]
}

/** A payment whose key is known, or that has no store. */
interface Repeat {
  payment: Payment
  till: Till | undefined
  bill: BillRow | undefined
}

/** `again`: a speaker was registered for the store while the batch waited for its locks. */
type Answer = Recorded | 'again'

/**
 * Records payments, many in one commit: each with its store's totals, its bill and its announcements.
 *
 * A batch locks devices, then bills, then keys, and decides after that. So numbers rise in the order of commits over all
 * hubs, nobody is told of another's money, and a payment is recorded once.
 */
export function createRecordPayment(
  { vault, batched, lastly }: Engine,
  states: Pick<DeviceStates, 'storeNumbers'>,
  rules: Pick<StorageRules, 'settle' | 'repeatOfDeleted'>,
  observer: Pick<StorageObserver, 'stage'>,
): PaymentRecords['record'] {
  const toPaid = openOnce(createStoreMapping(vault).toPaid)
  const sealedBills = sealedFields(vault, 'bills')
  const settle = createSettle(vault, rules)
  const decide: Decide = (payment, till, row) => settle(payment, till, row && toBill(sealedBills, row))
  const firstAnswers = createFirstAnswers(vault, rules)

  function* recordAll(calls: readonly Call[]): Act<Answer[]> {
    const payments = calls.map(({ payment }) => payment)
    const [devices, tills, rowIds] = yield* together(
      lockDevicesOfTills(payments),
      readTills(payments, toPaid),
      takePaymentNumbers(payments.length),
    )
    const placed = calls.map((call, index) => {
      const till = tills.get(keyOfTill(call.payment))
      const isLocked = till?.speakers.every(({ deviceRowId }) => devices.has(deviceRowId)) ?? true
      return { call, till, isLocked, rowId: rowIds[index] ?? 0 }
    })
    const payable = placed.flatMap(({ till, isLocked, ...one }) =>
      till && isLocked ? [{ ...one, till }] : [],
    )
    const billKeys = payable.flatMap(({ till, call: { payment } }) =>
      payment.billNumber === '' ? [] : [{ storeId: till.store.id, billNumber: payment.billNumber }],
    )
    const [billRows, added] = yield* together(
      lockBills(billKeys),
      insertKeys(payable.map(({ call: { payment }, rowId }) => ({ ...payment, rowId }))),
    )
    const batch = createBatch(decide, devices, billRows)
    const recorded = new Map<number, Recorded>()
    for (const { call, till, rowId } of payable)
      if (added.has(rowId)) recorded.set(rowId, batch.record(call, till, rowId))
    const repeated = placed.flatMap(({ call: { payment }, till, isLocked, rowId }) =>
      recorded.has(rowId) || !isLocked ? [] : [{ payment, till, bill: till && batch.billOf(till, payment) }],
    )
    // The first answers are read after the writes: a batch may hold a payment and its repeat.
    const writing = together(
      write(batch.writes()),
      states.storeNumbers(devices.values()),
      firstAnswers(repeated),
    )
    // Opening a stored answer may fail. Then the batch must not be committed.
    const [, , answers] = yield* repeated.length === 0 ? lastly(writing) : writing
    return placed.map(({ call: { payment }, till, isLocked, rowId }) => {
      if (!isLocked) return 'again'
      const refused: PaymentResult = { kind: till ? 'conflict' : 'store_not_found' }
      return recorded.get(rowId) ?? { result: answers.get(payment) ?? refused, planned: [] }
    })
  }

  const recordInBatch = batched('payments.record', recordAll, { keyOf: ({ payment }) => keyOfTill(payment) })

  return observedRecord(async (payment, free) => {
    let answer = await recordInBatch({ payment, free })
    for (let batches = 1; answer === 'again' && batches < MOST_BATCHES; batches += 1)
      answer = await recordInBatch({ payment, free })
    if (answer === 'again') throw unavailable()
    return answer
  }, observer)
}

/** Finds the first answers to payments that were recorded before. A payment with another content has none. */
function createFirstAnswers(vault: Vault, { repeatOfDeleted }: Pick<StorageRules, 'repeatOfDeleted'>) {
  const sealer = createPaymentSealer(vault)
  const sealedBills = sealedFields(vault, 'bills')
  const sealedHashes = sealedFields(vault, 'deletedPayments')

  return function* firstAnswers(repeats: readonly Repeat[]): Act<Map<Payment, PaymentResult>> {
    const known = yield* readKnown(repeats.map(({ payment }) => payment))
    const byKey = new Map(known.map((row) => [keyOfPayment(row), row]))
    const answers = repeats.flatMap(({ payment, till, bill }): [Payment, PaymentResult][] => {
      const row = byKey.get(keyOfPayment(payment))
      if (row?.deletedHash && till) {
        const contentHash = sealedHashes.read(row.id, 'contentHash', row.deletedHash)
        const found = { store: till.store, bill: bill && toBill(sealedBills, bill) }
        return [[payment, repeatOfDeleted(payment, { id: row.id, contentHash }, found)]]
      }
      const first = row?.sealed && sealer.open(row.id, row.sealed)
      return first && first.contentHash === payment.contentHash
        ? [[payment, { kind: 'replayed', answer: first.answer }]]
        : []
    })
    return new Map(answers)
  }
}

type Decide = (payment: Payment, till: Till, bill: BillRow | undefined) => SettledPayment

/** What the payments of a batch have read, and what they write. A payment sees what those before it have changed. */
function createBatch(decide: Decide, devices: ReadonlyMap<number, LockedDevice>, billRows: BillRow[]) {
  const key = (storeId: string, billNumber: string) => `${storeId} ${billNumber}`
  const bills = new Map(billRows.map((row) => [key(row.storeId, row.billNumber), row]))
  const changes = new Map<string, BillChange>()
  const totals = new Map<number, Totals>()
  const payments: Writes['payments'] = []
  const announcements: Writes['announcements'] = []
  const billOf = ({ store }: Till, { billNumber }: Payment) => bills.get(key(store.id, billNumber))

  function markBill(row: BillRow, outcome: PaymentOutcome, at: number) {
    if (outcome === 'static_qr') return
    const change = changes.get(row.id) ?? { id: row.id, paidAt: undefined, mark: undefined }
    changes.set(row.id, change)
    if (outcome === 'bill_paid') change.paidAt = row.paidAt = at
    else change.mark = outcome
  }

  function addToTotals(storeRowId: number, amount: bigint) {
    const total = totals.get(storeRowId) ?? { storeRowId, count: 0, amount: 0n }
    totals.set(storeRowId, { storeRowId, count: total.count + 1, amount: total.amount + amount })
  }

  return {
    billOf,

    /** Decides about a new payment, and adds what it writes. */
    record({ payment, free }: Call, till: Till, rowId: number): Recorded {
      const bill = billOf(till, payment)
      const { row, planned, recorded } = decide(payment, till, bill)
      payments.push({ ...row, rowId })
      addToTotals(till.storeRowId, BigInt(payment.amount))
      if (bill) markBill(bill, row.outcome, payment.receivedAt)
      const queued = planned.flatMap((one) => {
        const { speaker, deviceRowId } = speakerOf(till, one)
        const device = devices.get(deviceRowId)
        if (!device) throw new Error('each speaker of a till is locked')
        const numbered = numberAnnouncement(one, payment, rowId, speaker, device, free)
        announcements.push(numbered.row)
        return numbered.announcement
      })
      return { planned, result: recorded(queued) }
    },

    writes: (): Writes => ({
      ...{ payments, announcements },
      bills: [...changes.values()],
      totals: [...totals.values()],
    }),
  }
}

const keyOfPayment = ({ clientId, ftCode, dedupeKey }: Pick<Payment, 'clientId' | 'ftCode' | 'dedupeKey'>) =>
  JSON.stringify([clientId, ftCode, dedupeKey])
