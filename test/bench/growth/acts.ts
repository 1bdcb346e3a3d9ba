import type { Announcement } from '../../../server/announcements/announcement.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { MASTER_KEY } from '../parts/market.ts'
import type { Figure } from '../parts/table.ts'
import { type Both, GOAL, grown } from './figures.ts'
import { paymentOf } from './payment.ts'
import { databaseOf, type Filled, SESSION } from './seed.ts'
import { shopAt } from './shop-rows.ts'

/** Rounds per file, in turn. The best round counts, which reduces the influence of other programs. */
const ROUNDS = 3
export const AT_ONCE = 64
/** How often each act runs. Some run in batches that share a commit, the others one by one. */
export const ACTS = { warmUpBatches: 20, batches: 50, alone: 500 }

/** One act of the hub, run `times` on shops in random order, in batches. */
export interface Act {
  times: number
  atOnce: number
  run(number: number): Promise<unknown>
}

/** CPU of the hub's storage acts, in microseconds of this process. */
export async function benchActs(both: Both, times = ACTS): Promise<Figure[]> {
  const [smallBest, largeBest] = [new Map<string, number>(), new Map<string, number>()]
  for (let round = 0; round < ROUNDS; round += 1) {
    await measure(both.large, round, times, largeBest)
    await measure(both.small, round, times, smallBest)
  }
  return [...smallBest].flatMap(([what, little]) => {
    const pair = [largeBest.get(what) ?? Number.NaN, little] as const
    const goal = what === 'record a payment' ? GOAL : undefined
    return grown(both, `${what}, CPU`, [pair], {
      word: (micros) => `${micros.toFixed(1)} µs`,
      is: 'cost',
      goal,
    })
  })
}

async function measure(
  { dataDir, size, partner }: Filled,
  round: number,
  times: typeof ACTS,
  best: Map<string, number>,
) {
  const startedAt = cpuMicros()
  const storage = openSqliteStorage(
    databaseOf({ dataDir }),
    storageOptions({
      vault: createVault(MASTER_KEY),
      ids: createRandomIds(),
    }),
  )
  keepLess(best, 'open the file', cpuMicros() - startedAt)
  for (const [what, act] of Object.entries(actsOn(storage, { size, partner }, round, times))) {
    const before = cpuMicros()
    await carryOut(act)
    if (what !== WARM_UP) keepLess(best, what, (cpuMicros() - before) / act.times)
  }
  storage.close()
}

export async function carryOut(act: Act) {
  for (let from = 0; from < act.times; from += act.atOnce)
    await Promise.all(Array.from({ length: act.atOnce }, (_, index) => act.run(from + index)))
}

/** The name of the act that is not measured. */
export const WARM_UP = 'warm up'

/** The storage acts of a payment, a speaker, a partner and the operator, in this order. */
export function actsOn(
  storage: Storage,
  { size, partner: { clientId } }: Pick<Filled, 'size' | 'partner'>,
  round: number,
  times: typeof ACTS,
): Record<string, Act> {
  const { outbox, payments, devices, retention } = storage
  const ids = createRandomIds()
  const said: Announcement[] = []
  const [warmUps, acts] = [times.warmUpBatches * AT_ONCE, times.batches * AT_ONCE]
  // Other shops in each round, while there are any.
  const shop = (number: number) => shopAt(number + round * (warmUps + acts), size)
  const at = (number: number): Announcement => {
    const one = said[number % said.length]
    if (!one) throw new Error('a payment was recorded before')
    return one
  }
  const ownerOf = ({ deviceId }: Announcement) => ({ deviceId, sessionId: SESSION })
  async function pay(number: number, customer = '') {
    const payment = paymentOf({
      ...{ id: ids.uuid(), clientId, at: Date.now() },
      ...{ ftCode: `R${round}-${number}${customer}`, terminalID: shop(number).terminalID },
    })
    const result = await payments.record(payment)
    if (result.kind === 'recorded') said.push(...result.announcements)
  }
  const ack = (stage: 'received' | 'played') => (number: number) => {
    const { id, n: commandNumber, deviceId } = at(number)
    return outbox.recordAck(
      { announcementId: id, commandNumber, deviceId, stage, reason: undefined },
      Date.now(),
    )
  }
  const together = (run: Act['run'], count = acts): Act => ({ times: count, atOnce: AT_ONCE, run })
  const alone = (run: Act['run']): Act => ({ times: times.alone, atOnce: 1, run })
  return {
    [WARM_UP]: together((number) => pay(number + acts), warmUps),
    'record the first payment of a shop': together((number) => pay(number)),
    'answer a repeat': together((number) => pay(number)),
    'note as sent': together((number) => outbox.markSent(at(number).id, ownerOf(at(number)), Date.now())),
    'ack as received': together(ack('received')),
    'ack as played': together(ack('played')),
    // The same shops again: their pages and secrets are cached, as in a hub that has run for a day.
    'record a payment': together((number) => pay(number, ' again')),
    'number a command': together((number) => outbox.nextNumber(ownerOf(at(number)))),
    'what a device has still to say': alone((number) => outbox.open(at(number).deviceId, Date.now())),
    'what a device has missed': alone((number) => outbox.missed(at(number).deviceId)),
    'what a device shows': alone((number) => outbox.screen(at(number).deviceId, Date.now())),
    'log a device in': alone((number) => devices.credentials(shop(number).serial)),
    'device detail': alone((number) => devices.findFor(clientId, shop(number).serial)),
    'find a transaction': alone((number) =>
      payments.findByFtCode(clientId, `FT${(number * 7_919) % size.payments}`),
    ),
    'a sweep that ends nothing': alone(() => outbox.expire(0)),
    'a page of retention': alone(() => retention.prunePayments(0, '', 0)),
    readyz: alone(() => storage.ping()),
    'the backlog of a scrape': alone(() => outbox.backlog()),
  }
}

function keepLess(best: Map<string, number>, what: string, micros: number) {
  best.set(what, Math.min(best.get(what) ?? Number.POSITIVE_INFINITY, micros))
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
