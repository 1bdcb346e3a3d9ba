import type { Announcement } from '../../../announcements/announcement.ts'
import type { PlannedAnnouncement } from '../../../announcements/plan.ts'
import type { FreeSpeaker } from '../../../announcements/ports.ts'
import type { Payment, PaymentOutcome } from '../../../payments/payment.ts'
import type { PaymentRecords, PaymentResult } from '../../../payments/ports.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type BillRow, toBill } from '../../shared/bill.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { createPaymentSealer } from '../../shared/sealed-payment.ts'
import { unavailable } from '../../shared/storage-errors.ts'
import { createStoreMapping } from '../../shared/store-mapping.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'
import { type LockedDevice, nextNumber, storeNumbers } from './outbox/device-locks.ts'
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
import { keyOfTill, lockDevicesOfTills, openOnce, readTills, type Till } from './payment/tills.ts'

/** A payment waits for the registrations of so many speakers of its store at most. */
const MOST_BATCHES = 10

interface Call {
  payment: Payment
  free: readonly FreeSpeaker[]
}

/** A payment with the stage that each of its announcements was planned with. */
interface Recorded {
  result: PaymentResult
  planned: PlannedAnnouncement[]
}

/** A payment whose key is known, or that has no store. */
interface Repeat {
  payment: Payment
  till: Till | undefined
  bill: BillRow | undefined
}

/** A speaker was registered for the store while the batch waited for its lock: the payment goes into the next batch. */
type Answer = Recorded | 'again'

/**
 * Records payments, many in one commit: each with its store's totals, its bill and its announcements.
 *
 * All decisions follow the locks, in this order: devices, bills, keys. So numbers rise in the order of commits over all
 * hubs, nobody is told of another's money, and a payment is recorded once.
 */
export function createRecordPayment(
  database: PostgresDatabase,
  { settle, repeatOfDeleted }: Pick<StorageRules, 'settle' | 'repeatOfDeleted'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): PaymentRecords['record'] {
  const { vault } = database
  const sealer = createPaymentSealer(vault)
  const sealedBills = sealedFields(vault, 'bills')
  const sealedHashes = sealedFields(vault, 'deletedPayments')
  const toPaid = openOnce(createStoreMapping(vault).toPaid)

  /** The first answer to payments that were recorded before. Undefined where there is none, or for another content. */
  async function firstAnswers(tx: Tx, repeats: Repeat[]): Promise<Map<Payment, PaymentResult>> {
    const known = await readKnown(
      tx,
      repeats.map(({ payment }) => payment),
    )
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

  async function recordAll(tx: Tx, calls: Call[]): Promise<Answer[]> {
    const payments = calls.map(({ payment }) => payment)
    const [devices, tills, numbers] = await Promise.all([
      lockDevicesOfTills(tx, payments),
      readTills(tx, payments, toPaid),
      takePaymentNumbers(tx, payments.length),
    ])
    const placed = calls.map((call, index) => {
      const till = tills.get(keyOfTill(call.payment))
      const isLocked = till?.speakers.every(({ deviceRowId }) => devices.has(deviceRowId)) ?? true
      return { call, till, isLocked, rowId: numbers[index] ?? 0 }
    })
    const payable = placed.flatMap(({ till, isLocked, ...one }) =>
      till && isLocked ? [{ ...one, till }] : [],
    )
    const billKeys = payable.flatMap(({ till, call: { payment } }) =>
      payment.billNumber === '' ? [] : [{ storeId: till.store.id, billNumber: payment.billNumber }],
    )
    const [billRows, added] = await Promise.all([
      lockBills(tx, billKeys),
      insertKeys(
        tx,
        payable.map(({ call: { payment }, rowId }) => ({ ...payment, rowId })),
      ),
    ])
    const batch = createBatch(devices, billRows)
    const recorded = new Map<number, Recorded>()
    for (const { call, till, rowId } of payable)
      if (added.has(rowId)) recorded.set(rowId, recordOne(batch, call, till, rowId))
    const repeated = placed.flatMap(({ call: { payment }, till, isLocked, rowId }) =>
      recorded.has(rowId) || !isLocked
        ? []
        : [{ payment, till, bill: till && batch.billOf(till.store.id, payment.billNumber) }],
    )
    const written = Promise.all([write(tx, batch.writes), storeNumbers(tx, devices.values())])
    // To open the answer to a repeated payment may fail, and then nothing may be committed.
    if (repeated.length === 0) tx.end()
    await written
    const answers = await firstAnswers(tx, repeated)
    return placed.map(({ call: { payment }, till, isLocked, rowId }) => {
      if (!isLocked) return 'again'
      const refused: PaymentResult = { kind: till ? 'conflict' : 'store_not_found' }
      return recorded.get(rowId) ?? { result: answers.get(payment) ?? refused, planned: [] }
    })
  }

  /** Decides about a new payment, and adds what it writes to the batch. */
  function recordOne(batch: Batch, { payment, free }: Call, till: Till, rowId: number): Recorded {
    const { store, storeRowId } = till
    const billRow = batch.billOf(store.id, payment.billNumber)
    const bill = billRow && toBill(sealedBills, billRow)
    const speakers = till.speakers.map(({ speaker }) => speaker)
    const { outcome, answer, announcements: planned } = settle(payment, { store, bill, speakers })
    const { notice, contentHash } = payment
    const sealed = sealer.seal(payment.id, { answer, notice, contentHash })
    batch.writes.payments.push({ ...payment, rowId, storeId: store.id, billId: bill?.id, outcome, sealed })
    batch.addToTotals(storeRowId, BigInt(payment.amount))
    if (billRow) batch.markBill(billRow, outcome, payment.receivedAt)
    const queued = planned.flatMap((one) => {
      const to = till.speakers.find(({ speaker }) => speaker.deviceId === one.deviceId)
      if (!to) throw new Error('an announcement is for a speaker of the store')
      return addAnnouncement(batch, one, { payment, rowId, to, free }) ?? []
    })
    const deviceIds = () => speakers.map(({ deviceId }) => deviceId)
    const paidBill = bill && outcome === 'bill_paid' ? { id: bill.id, deviceIds: deviceIds() } : undefined
    return { planned, result: { kind: 'recorded', answer, announcements: queued, paidBill } }
  }

  const recordInBatch = database.batched('payments.record', recordAll, ({ payment }) => keyOfTill(payment))

  return async function record(payment, free = []) {
    const askedAt = performance.now()
    let answer = await recordInBatch({ payment, free })
    for (let batches = 1; answer === 'again' && batches < MOST_BATCHES; batches += 1)
      answer = await recordInBatch({ payment, free })
    if (answer === 'again') throw unavailable()
    const { result, planned } = answer
    for (const { stage } of planned) observe(stage, 0)
    if (result.kind !== 'recorded') return result
    const sentAfterMs = performance.now() - askedAt
    for (const { stage } of result.announcements) if (stage === 'sent') observe(stage, sentAfterMs)
    return result
  }
}

/** Adds one announcement with its number. Undefined when it is suppressed: then nothing is sent. */
function addAnnouncement(
  { writes, devices }: Batch,
  { id, deviceId, lang, paidBill, expiresAt, stage: planned }: PlannedAnnouncement,
  {
    payment: { receivedAt, amount },
    rowId: paymentRowId,
    to: { speaker, deviceRowId },
    free,
  }: { payment: Payment; rowId: number; to: Till['speakers'][number]; free: readonly FreeSpeaker[] },
): Announcement | undefined {
  const device = devices.get(deviceRowId)
  if (!device) throw new Error('each speaker of a till is locked')
  const isQueued = planned === 'queued'
  const n = isQueued ? nextNumber(device) : undefined
  const claim = free.find((one) => one.deviceId === deviceId)
  // A lower number that its hub does not know may be another announcement, which must be sent first.
  const isFree = n !== undefined && claim?.sessionId === device.sessionId && n === claim?.knownNumber + 1
  const stage = isFree ? 'sent' : planned
  writes.announcements.push({
    ...{ id, deviceRowId, paymentRowId, n, stage, amount, paidBill, lang, expiresAt },
    queuedAt: receivedAt,
    sentAt: isFree ? receivedAt : undefined,
    suppressedAt: isQueued ? undefined : receivedAt,
  })
  return n === undefined
    ? undefined
    : { id, deviceId, serial: speaker.serial, n, stage, amount, paidBill, lang, expiresAt }
}

type Batch = ReturnType<typeof createBatch>

/** What the payments of a batch have read, and what they write. A payment sees what those before it have changed. */
function createBatch(devices: ReadonlyMap<number, LockedDevice>, billRows: BillRow[]) {
  const key = (storeId: string, billNumber: string) => `${storeId} ${billNumber}`
  const bills = new Map(billRows.map((row) => [key(row.storeId, row.billNumber), row]))
  const changes = new Map<string, BillChange>()
  const totals = new Map<number, Totals>()
  const payments: Writes['payments'] = []
  const announcements: Writes['announcements'] = []
  return {
    devices,
    writes: {
      payments,
      announcements,
      get bills() {
        return [...changes.values()]
      },
      get totals() {
        return [...totals.values()]
      },
    },
    billOf: (storeId: string, billNumber: string) => bills.get(key(storeId, billNumber)),

    markBill(row: BillRow, outcome: PaymentOutcome, at: number) {
      if (outcome === 'static_qr') return
      const change = changes.get(row.id) ?? { id: row.id, paidAt: undefined, mark: undefined }
      changes.set(row.id, change)
      if (outcome === 'bill_paid') change.paidAt = row.paidAt = at
      else change.mark = outcome
    },

    addToTotals(storeRowId: number, amount: bigint) {
      const total = totals.get(storeRowId) ?? { storeRowId, count: 0, amount: 0n }
      totals.set(storeRowId, { storeRowId, count: total.count + 1, amount: total.amount + amount })
    },
  }
}

const keyOfPayment = ({ clientId, ftCode, dedupeKey }: Pick<Payment, 'clientId' | 'ftCode' | 'dedupeKey'>) =>
  JSON.stringify([clientId, ftCode, dedupeKey])
