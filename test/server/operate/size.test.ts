import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MEASURED, type Measured } from '../../../server/operate/measured.ts'
import { type Fleet, sizeOf } from '../../../server/operate/size.ts'
import { tableText } from '../../bench/rates/table-text.ts'

/** One payment in 8.64 s at each shop: 0.1 a second at a peak of one. */
const FLEET: Fleet = {
  ...{ shops: 1_000, paymentsADay: 8_640, peak: 1, speakersAShop: 1, keepDays: 100 },
  ...{ webhooks: 0, standbys: 0, headroom: 0.5, spareHubs: 1 },
}

/** A payment takes 1 ms of a hub and 2 ms of PostgreSQL, 3 commits and 4 kB of WAL, at each rate. */
const EVEN: Measured = {
  rates: [{ hubs: 3, perSecond: 300, hubMs: 300, postgresMs: 600, commits: 900, walBytes: 1_200_000 }],
  sqlite: { rates: [{ perSecond: 1_000, hubMs: 1_000 }], bytes: { rows: 700, indexes: 0, events: 100 } },
  payments: 1_000_000_000,
  bytes: { rows: 1_000, indexes: 500, events: 200, deleted: 10 },
  delivery: { hubMs: 1, postgresMs: 2, commits: 3, walBytes: 4, bytes: 50 },
  speaker: { bytes: 40_000, connectMs: 1, sqliteConnectMs: 2, packetMs: 0 },
  hub: { bytes: 100_000_000, connections: 11 },
  deletedPerSecond: 1_000_000,
}

const sized = (change: Partial<Fleet>, measured: Partial<Measured> = {}) =>
  sizeOf({ ...FLEET, ...change }, { ...EVEN, ...measured })

/** Fleets of the sizes that the command takes, at least within reason. */
const fleets = fc.record({
  shops: fc.integer({ min: 1, max: 1_000_000 }),
  paymentsADay: fc.double({ min: 0.01, max: 2_000, noNaN: true }),
  speakersAShop: fc.integer({ min: 1, max: 4 }),
  peak: fc.double({ min: 1, max: 30, noNaN: true }),
  keepDays: fc.integer({ min: 1, max: 3_650 }),
  webhooks: fc.integer({ min: 0, max: 3 }),
  standbys: fc.integer({ min: 0, max: 3 }),
  headroom: fc.double({ min: 0, max: 0.9, noNaN: true }),
  spareHubs: fc.integer({ min: 0, max: 3 }),
  postgres: fc.boolean(),
})

it('the constants are as the benchmark prints them', () => {
  const source = readFileSync(new URL('../../../server/operate/measured.ts', import.meta.url), 'utf8')
  expect(source).toContain(tableText(MEASURED))
})

describe('the verdict', () => {
  it('is one hub on SQLite up to the headroom of its payments', () => {
    expect(sized({ shops: 5_000 })).toMatchObject({ verdict: 'one hub on SQLite', databases: 0 })
    expect(sized({ shops: 5_001 })).toMatchObject({
      verdict: 'several hubs on PostgreSQL',
      databases: 1,
      decides: { what: 'payments of a hub', used: expect.closeTo(0.5001, 9) },
    })
  })

  it('is one hub on SQLite up to the speakers that it welcomes in a minute', () => {
    expect(sized({ shops: 15_000, paymentsADay: 1 }).verdict).toBe('one hub on SQLite')
    expect(sized({ shops: 15_001, paymentsADay: 1 })).toMatchObject({
      verdict: 'several hubs on PostgreSQL',
      decides: { what: 'speakers of a hub' },
    })
  })

  it('is several hubs where they are asked for', () => {
    expect(sized({ postgres: true })).toMatchObject({ verdict: 'several hubs on PostgreSQL', databases: 1 })
  })

  it('is more than one database where its events come out of order first', () => {
    // Two events of a payment: 5,000 a second are half of the 20,000 events that are measured.
    const cheap = { rates: EVEN.rates.map((rate) => ({ ...rate, postgresMs: 30 })) }
    expect(sized({ shops: 50_000 }, cheap).verdict).toBe('several hubs on PostgreSQL')
    expect(sized({ shops: 50_001 }, cheap)).toMatchObject({
      verdict: 'more than one database',
      databases: 2,
      decides: { what: 'order of events' },
    })
  })

  it('is more than one database where retention falls behind, which goes by the mean rate', () => {
    const slow = { deletedPerSecond: 100 }
    expect(sized({ shops: 500, postgres: true }, slow).databases).toBe(1)
    expect(sized({ shops: 5_000, paymentsADay: 864, peak: 10, postgres: true }, slow).databases).toBe(1)
    expect(sized({ shops: 501, postgres: true }, slow)).toMatchObject({
      databases: 2,
      decides: { what: 'retention' },
    })
  })

  it('is more than one database where a PostgreSQL would need more cores than there are', () => {
    // 10 ms of CPU for a payment: 1,600 a second keep 16 of 32 cores busy.
    const dear = { rates: EVEN.rates.map((rate) => ({ ...rate, postgresMs: 3_000 })) }
    expect(sized({ shops: 16_000 }, dear).databases).toBe(1)
    expect(sized({ shops: 16_001 }, dear)).toMatchObject({
      databases: 2,
      decides: { what: '32 cores of a PostgreSQL' },
    })
  })
})

describe('what a fleet needs', () => {
  it('is calculated from the cost of a payment', () => {
    const { load, hubs, postgres, disk } = sized({ shops: 9_000, paymentsADay: 4_320, peak: 2 })
    expect(load).toMatchObject({ paymentsADay: 38_880_000, mean: 450, peak: 900, speakers: 9_000 })
    // Two hubs carry 900 a second with half of a core each free.
    expect(hubs).toEqual({ count: 3, cores: 1, cpuMs: 450, speakers: 4_500, memoryBytes: 560_000_000 })
    expect(postgres).toEqual({
      ...{ cores: 4, cpuMs: 1_800, commits: 2_700, walBytes: 3_600_000, walBytesADay: 155_520_000_000 },
      ...{ connections: 33, maxConnections: 62, balancerConnections: 10_800 },
    })
    expect(disk).toEqual({
      payments: 3_888_000_000,
      bytes: 38_880_000 * (1_500 * 100 + 200 * 30 + 10 * 400),
      bytesADay: 38_880_000 * 1_700,
      indexBytes: 38_880_000 * 500 * 100,
    })
  })

  it('has a hub more where a core is too little, and as many spare ones as asked for', () => {
    expect(sized({ shops: 10_000, postgres: true }).hubs.count).toBe(3)
    expect(sized({ shops: 10_001, postgres: true }).hubs.count).toBe(4)
    expect(sized({ shops: 10_000, postgres: true, spareHubs: 4 }).hubs.count).toBe(6)
    // Two at least, so that the speakers of a lost one have another.
    expect(sized({ shops: 1, postgres: true, spareHubs: 0 }).hubs.count).toBe(2)
  })

  it('has a hub more where speakers would not be back within a minute', () => {
    expect(sized({ shops: 60_000, paymentsADay: 1 }).hubs.count).toBe(3)
    expect(sized({ shops: 60_001, paymentsADay: 1 }).hubs.count).toBe(4)
  })

  it('counts the packets of idle speakers', () => {
    const speaker = { ...EVEN.speaker, packetMs: 3 }
    const { hubs } = sized({ shops: 10_000, paymentsADay: 0.01, postgres: true }, { speaker })
    expect(hubs).toMatchObject({ count: 4, cpuMs: expect.closeTo(1_000 / 3, 0) })
  })

  it('counts the events at webhooks, on the disk for 30 days at most', () => {
    const [without, told] = [0, 2].map((webhooks) => sized({ webhooks, postgres: true }))
    expect(told?.postgres?.cpuMs).toBe(Number(without?.postgres?.cpuMs) * 5)
    const perDay = 1_000 * 8_640
    expect(Number(told?.disk.bytes) - Number(without?.disk.bytes)).toBe(perDay * 4 * 50 * 30)
    expect(sized({ webhooks: 2, keepDays: 10 }).disk.bytes).toBe(perDay * (700 * 10 + 300 * 10 + 10 * 400))
  })

  it('counts a sentence at each speaker of a shop as a payment', () => {
    const twice = sized({ speakersAShop: 2, postgres: true })
    expect(twice.postgres?.commits).toBe(sized({ shops: 2_000, postgres: true }).postgres?.commits)
    expect(twice.load).toMatchObject({ peak: 100, speakers: 2_000 })
    expect(twice.beyond).toContainEqual({ what: 'speakers of a shop', needed: 2, most: 1 })
  })

  it('goes by the cost at the rate of a hub', () => {
    const rate = { hubs: 1, postgresMs: 0, commits: 0, walBytes: 0 }
    const rates = [
      { ...rate, perSecond: 0, hubMs: 10 },
      { ...rate, perSecond: 100, hubMs: 300 },
      { ...rate, perSecond: 200, hubMs: 400 },
    ]
    const busy = (shops: number) => sized({ shops, postgres: true }, { rates }).hubs.cpuMs
    expect([1_000, 2_000, 3_000, 4_000].map(busy)).toEqual([155, 300, 350, 400])
    // Beyond what was measured, a payment costs what the last one did.
    expect(busy(5_000)).toBe(500)
  })
})

describe('when the load doubles', () => {
  it.each([
    { change: { shops: 9_000 }, first: { what: 'CPU of the hubs', remedy: 'start more hubs' } },
    { change: { shops: 5_500, spareHubs: 2 }, first: { what: 'CPU of PostgreSQL' } },
    {
      change: { shops: 55_000, paymentsADay: 1 },
      first: { what: 'speakers of a hub', remedy: 'start more hubs' },
    },
    { change: { shops: 4_000 }, first: { what: 'payments of a hub', used: 0.4, doubled: 0.8 } },
  ])('$first.what breaks first', ({ change, first }) => {
    expect(sized(change).first).toMatchObject(first)
  })

  it('takes no more than there is, with a headroom of half', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        for (const { used, doubled } of sizeOf({ ...fleet, headroom: 0.5 }).limits) {
          expect(used).toBeLessThanOrEqual(0.5 + 1e-9)
          expect(doubled).toBeLessThanOrEqual(1 + 1e-9)
        }
      }),
    )
  })
})

it('says what is beyond the measurements', () => {
  expect(sized({ shops: 4_000 }).beyond).toEqual([
    { what: 'payments in the file', needed: expect.closeTo(3_456_000_000, 0), most: 1_000_000 },
  ])
  const { beyond } = sized({ shops: 20_000, standbys: 2 })
  expect(beyond.map(({ what }) => what)).toEqual([
    ...['payments a second', 'hubs', 'cores of PostgreSQL', 'payments in the database', 'standbys'],
  ])
})

describe('more load never needs less', () => {
  const more = fc.record({
    shops: fc.integer({ min: 0, max: 100_000 }),
    paymentsADay: fc.double({ min: 0, max: 200, noNaN: true }),
    peak: fc.double({ min: 0, max: 5, noNaN: true }),
    webhooks: fc.integer({ min: 0, max: 2 }),
    keepDays: fc.integer({ min: 0, max: 100 }),
  })
  const increased = (fleet: Fleet, by: Partial<Record<keyof Fleet, number>>): Fleet => ({
    ...fleet,
    ...Object.fromEntries(
      Object.entries(by).map(([name, value]) => [name, Number(fleet[name as keyof Fleet]) + value]),
    ),
  })

  function expectNoLess(fleet: Fleet, larger: Fleet, measured: Measured) {
    const [one, other] = [sizeOf(fleet, measured), sizeOf(larger, measured)]
    const parts = ({ databases }: typeof one) => Math.max(1, databases)
    expect(other.databases).toBeGreaterThanOrEqual(one.databases)
    // The two arrangements and a share of the databases keep other rows, and round up for each.
    if (parts(one) !== parts(other) || one.verdict !== other.verdict) return
    const needs = ({ hubs, postgres, disk }: typeof one) => [
      ...[hubs.count, disk.bytes, disk.bytesADay, disk.indexBytes, disk.payments],
      ...Object.values(postgres ?? {}),
    ]
    const before = needs(one)
    for (const [index, need] of needs(other).entries())
      expect(need).toBeGreaterThanOrEqual((before[index] ?? 0) * (1 - 1e-9))
  }

  it('by the constants', () => {
    fc.assert(fc.property(fleets, more, (fleet, by) => expectNoLess(fleet, increased(fleet, by), MEASURED)))
  })

  it('whatever the noise of a measurement', () => {
    const figure = fc.double({ min: 1, max: 2_000, noNaN: true })
    const rate = fc.record({
      ...{ hubs: fc.integer({ min: 1, max: 3 }), perSecond: fc.integer({ min: 1, max: 2_000 }) },
      ...{ hubMs: figure, postgresMs: figure, commits: figure, walBytes: figure },
    })
    const rates = fc.array(rate, { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fleets, more, rates, (fleet, by, noisy) =>
        expectNoLess(fleet, increased(fleet, by), { ...MEASURED, rates: noisy }),
      ),
    )
  })
})
