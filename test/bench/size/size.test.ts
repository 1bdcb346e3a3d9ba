import { expect, it } from 'vitest'
import { createVault } from '../../../server/security/vault.ts'
import { createPaymentSealer } from '../../../server/storage/shared/sealed-columns.ts'
import { MASTER_KEY } from '../parts/market.ts'
import { createMessages } from './copy.ts'
import { COLUMNS, createHistory, createStages, type HistoryTable } from './history.ts'
import { usedSince } from './meter.ts'
import { partsOf, rowNumberOf, seqOf } from './periods.ts'
import { BYTES_EACH, paymentsFor } from './room.ts'

it('packs a row as the binary format of COPY has it', () => {
  const sent: Buffer[] = []
  const { add, flush } = createMessages((message) => sent.push(message))
  add([5_000_000_001, 'Phở', Buffer.from('ab', 'hex'), null])
  flush()
  const header = `5047434f50590aff0d0a00${'0'.repeat(16)}`
  const row = ['0004', '00000008000000012a05f201', '000000055068e1bb9f', '00000001ab', 'ffffffff'].join('')
  const rows = `${header}${row}ffff`
  const length = (4 + rows.length / 2).toString(16).padStart(8, '0')
  expect(Buffer.concat(sent).toString('hex')).toBe(`64${length}${rows}`)
})

it('sends many rows in several messages, and loses none', () => {
  const sent: Buffer[] = []
  const { add, flush } = createMessages((message) => sent.push(message))
  for (let number = 0; number < 10_000; number += 1) add([number, 'x'.repeat(20)])
  flush()
  const rows = Buffer.concat(sent.map((message) => message.subarray(5)))
  expect(sent.length).toBeGreaterThan(5)
  expect(rows.length).toBe(19 + 10_000 * (2 + 4 + 8 + 4 + 20) + 2)
  for (const message of sent) expect(message.readInt32BE(1)).toBe(message.length - 1)
})

it.each([
  { free: 2 * 30_000_000 * BYTES_EACH, payments: 20_000_000 },
  { free: 2 * 12_000_000 * BYTES_EACH, payments: 10_600_000 },
  { free: 0, payments: 0 },
])('makes $payments payments where $free bytes are free', ({ free, payments }) => {
  expect(paymentsFor({ large: 20_000_000, small: 1_000_000 }, free)).toBe(payments)
})

it('adds up the CPU of the processes that are there at the end', () => {
  const before = new Map(Object.entries({ stays: 100, ends: 50 }))
  const after = new Map(Object.entries({ stays: 130, comes: 5 }))
  expect(usedSince(before, after)).toBe(35)
  expect(usedSince(undefined, after)).toBeNaN()
})

it('leaves the newest announcements open, and some before them missed', () => {
  const stageAt = createStages({ payments: 10_000, devices: 1_000 })
  const stages = Map.groupBy(
    Array.from({ length: 10_000 }, (_, index) => index),
    stageAt,
  )
  expect(stages.get('queued')).toEqual([9_998, 9_999])
  expect(stages.get('expired')).toHaveLength(10)
  expect(stages.get('played')).toHaveLength(9_988)
})

it('numbers payments by their periods where tables have partitions', () => {
  const numberOf = (index: number, periods: number) => rowNumberOf(index, { periods, payments: 900 })
  expect([0, 99, 100, 899].map((index) => numberOf(index, 9))).toEqual([
    10_000_000_001, 10_000_000_100, 20_000_000_101, 90_000_000_900,
  ])
  expect([0, 899].map((index) => numberOf(index, 0))).toEqual([1, 900])
})

it('finds the partition of each row', () => {
  const partOf = partsOf({ periods: 9, startedAt: 1_000, lengthMs: 900 })
  expect(partOf('payments', [10_000_000_001])).toBe('payments_1')
  expect(partOf('announcements', [90_000_000_900])).toBe('announcements_9')
  expect([1_000, 1_099, 1_100, 5_000].map((at) => partOf('events', ['C', seqOf(at, 2)]))).toEqual([
    ...['events_1', 'events_1', 'events_2', 'events_9'],
  ])
  expect(partOf('payment_keys', ['C'])).toBe('payment_keys')
  expect(partsOf({ periods: 0, startedAt: 0, lengthMs: 900 })('payments', [1])).toBe('payments')
})

it('makes the rows of a payment as they would have been stored, and seals them at their places', () => {
  const vault = createVault(MASTER_KEY)
  const shops = Array.from({ length: 10 }, (_, index) => ({ storeId: `S${index}`, deviceId: `D${index}` }))
  const size = { payments: 1_000, devices: 10 }
  const startedAt = Date.parse('2026-08-01')
  const history = createHistory(vault, { clientId: 'C', shops, size, periods: 0, startedAt })
  const rows = Array.from({ length: 20 }, (_, index) => [...history.rowsOf(index)])
  for (const [table, row] of rows.flat()) expect(row, table).toHaveLength(COLUMNS[table].split(' ').length)

  const valuesOf = (index: number, wanted: HistoryTable) =>
    (rows[index] ?? []).flatMap(([table, row]) =>
      table === wanted
        ? [Object.fromEntries(COLUMNS[table].split(' ').map((name, at) => [name, row[at]]))]
        : [],
    )
  const [bill] = valuesOf(10, 'bills')
  const [payment] = valuesOf(10, 'payments')
  expect(payment).toMatchObject({
    number: 11,
    outcome: 'bill_paid',
    bill_id: bill?.id,
    ft_code: 'FT10',
  })
  const { answer } = createPaymentSealer(vault).open(String(payment?.id), payment?.sealed as Buffer)
  expect(answer).toMatchObject({ id: bill?.id, storeId: 'S0', billNumber: 'B10' })
  expect(valuesOf(10, 'announcements')).toMatchObject([
    { device_number: 1, n: 2, paid_bill: 'B10', stage: 'played' },
  ])
  expect(valuesOf(10, 'events').map(({ type }) => type)).toEqual([
    'payment.recorded',
    'bill.paid',
    'announcement.played',
  ])
  expect(valuesOf(11, 'events').map(({ type }) => type)).toEqual(['payment.recorded', 'announcement.played'])
  const seqs = rows.flat().flatMap(([table, row]) => (table === 'events' ? [row[1]] : []))
  expect(new Set(seqs).size).toBe(seqs.length)
  expect(seqs[0]).toBe(seqOf(startedAt))
})
