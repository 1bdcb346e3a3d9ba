import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Announcement } from '../../server/announcements/announcement.ts'
import { createRandomIds } from '../../server/ids.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import type { Storage } from '../../server/storage/storage.ts'
import { createVault } from '../../server/vault.ts'
import { benchGrownCallbacks, type Filled } from './grown-callbacks.ts'
import { MASTER_KEY } from './market.ts'
import { type Seeded, type Size, seed } from './million.ts'
import { paymentOf } from './payment.ts'
import { type Figure, ratio } from './table.ts'

const EMPTY: Size = { payments: 1_000, devices: 1_000 }
const MILLION: Size = { payments: 1_000_000, devices: 100_000 }
/** Each file in turn; the best round of each counts, so that what else the machine does counts little. */
const ROUNDS = 3
const AT_ONCE = 64
const WARM_UP = 20 * AT_ONCE
const ACTS = 50 * AT_ONCE

/** One act of the hub, tried `times` on shops in no order, so many at once. */
interface Act {
  times: number
  atOnce: number
  run(number: number): Promise<unknown>
}

/** What the hub's acts cost in a file of a million payments and 100,000 devices, beside a file of a thousand. */
export async function benchGrowth(sizes = { small: EMPTY, large: MILLION }): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hub-growth-'))
  try {
    const open = async (name: string, size: Size): Promise<Filled> => {
      const file = join(folder, name)
      return { file, size, seeded: await seed(file, MASTER_KEY, size) }
    }
    const [small, large] = [await open('small.db', sizes.small), await open('large.db', sizes.large)]
    const [smallBest, largeBest] = [new Map<string, number>(), new Map<string, number>()]
    for (let round = 0; round < ROUNDS; round += 1) {
      await measure(small, round, smallBest)
      await measure(large, round, largeBest)
    }
    const acts = [...smallBest].map(([what, little]) =>
      figure(what, sizes.large, largeBest.get(what) ?? Number.NaN, little),
    )
    return [...acts, ...(await benchGrownCallbacks(small, large))]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function figure(what: string, { payments }: Size, much: number, little: number): Figure {
  return {
    what: `${what}, CPU with ${payments.toLocaleString('en')} payments`,
    value: `${much.toFixed(1)} µs`,
    peer: 'with few',
    peerValue: `${little.toFixed(1)} µs`,
    // Of speeds, as for what is counted a second.
    ratio: ratio(little, much),
  }
}

async function measure({ file, size, seeded }: Filled, round: number, best: Map<string, number>) {
  const startedAt = cpuMicros()
  const storage = openSqliteStorage(file, { vault: createVault(MASTER_KEY), ids: createRandomIds() })
  keepLess(best, 'open the file', cpuMicros() - startedAt)
  for (const [what, act] of Object.entries(actsOn(storage, size, seeded, round))) {
    const before = cpuMicros()
    for (let from = 0; from < act.times; from += act.atOnce)
      await Promise.all(Array.from({ length: act.atOnce }, (_, index) => act.run(from + index)))
    if (what !== 'warm up') keepLess(best, what, (cpuMicros() - before) / act.times)
  }
  storage.close()
}

/** What a payment, a speaker, a partner and the operator ask of the storage, in this order. */
function actsOn(storage: Storage, size: Size, seeded: Seeded, round: number): Record<string, Act> {
  const { outbox, payments, devices, retention } = storage
  const ids = createRandomIds()
  const said: Announcement[] = []
  const shop = (number: number) => (number * 7_919 + round) % size.devices
  const at = (number: number): Announcement => {
    const one = said[number % said.length]
    if (!one) throw new Error('a payment was recorded before')
    return one
  }
  async function pay(number: number, customer = '') {
    const payment = paymentOf({
      ...{ id: ids.uuid(), clientId: seeded.clientId, at: Date.now() },
      ...{ ftCode: `R${round}-${number}${customer}`, terminalID: seeded.terminalOf(shop(number)) },
    })
    const result = await payments.record(payment)
    if (result.kind === 'recorded') said.push(...result.announcements)
  }
  const ack = (stage: 'received' | 'played') => (number: number) => {
    const { id, deviceId } = at(number)
    return outbox.recordAck({ announcementId: id, deviceId, stage, reason: undefined }, Date.now())
  }
  const together = (run: Act['run'], times = ACTS): Act => ({ times, atOnce: AT_ONCE, run })
  const alone = (run: Act['run'], times = 500): Act => ({ times, atOnce: 1, run })
  return {
    'warm up': together((number) => pay(number + ACTS), WARM_UP),
    'record the first payment of a shop': together((number) => pay(number)),
    'answer a repeat': together((number) => pay(number)),
    'note as sent': together((number) => outbox.markSent(at(number).id, Date.now())),
    'ack as received': together(ack('received')),
    'ack as played': together(ack('played')),
    // The shops of before: what they need is opened and in the cache, as in a hub that has been at work for a day.
    'record a payment': together((number) => pay(number, ' again')),
    'number a command': together((number) => outbox.nextNumber(at(number).deviceId)),
    'what a device has still to say': alone((number) => outbox.open(at(number).deviceId, Date.now())),
    'what a device has missed': alone((number) => outbox.missed(at(number).deviceId)),
    'what a device shows': alone((number) => outbox.screen(at(number).deviceId, Date.now())),
    'log a device in': alone((number) => devices.credentials(seeded.serialOf(shop(number)))),
    'device detail': alone((number) => devices.findFor(seeded.clientId, seeded.serialOf(shop(number)))),
    'find a transaction': alone((number) =>
      payments.findByFtCode(seeded.clientId, `FT${(number * 7_919) % size.payments}`),
    ),
    'a sweep that ends nothing': alone(() => outbox.expire(0)),
    'a page of retention': alone(() => retention.prunePayments(0, '')),
    readyz: alone(() => storage.ping(), 100),
    'the backlog of a scrape': alone(() => outbox.backlog(), 50),
  }
}

function keepLess(best: Map<string, number>, what: string, micros: number) {
  best.set(what, Math.min(best.get(what) ?? Number.POSITIVE_INFINITY, micros))
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
