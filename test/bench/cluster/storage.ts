import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { openThreadedStorage } from '../../../server/storage/writer/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { paymentOf } from '../growth/payment.ts'
import { compare, type Pair } from '../parts/in-turn.ts'
import { fill, MASTER_KEY, type Shop } from '../parts/market.ts'
import { type Figure, microseconds, perSecond } from '../parts/table.ts'
import { type Ground, openStorageAt } from './ground.ts'
import { startSingleCommits } from './single-commits.ts'

/** Payments under way. */
const AT_ONCE = 64

export const STORAGE = { shops: 500, warmUpSeconds: 2, seconds: 2, rounds: 5 }

/** A storage in this process. */
interface Till {
  /** Records payments, so many at once. */
  pay(atOnce: number, seconds: number): Promise<{ perSecond: number; cpuEach: number }>
  close(): Promise<void>
}

/**
 * `payments.record` through the ports of the storage on PostgreSQL, compared with single commits, with itself one at a
 * time, and with SQLite.
 */
export async function benchStorage(ground: Ground, work = STORAGE): Promise<Figure[]> {
  const opened = new AsyncDisposableStack()
  try {
    const url = await ground.database()
    const { clientId } = ground.partner
    const postgres = openTill(await openStorageAt(url), clientId, ground.shops.slice(0, work.shops))
    opened.defer(postgres.close)
    const sqlite = await openSqliteTill(work.shops)
    opened.defer(sqlite.close)
    const single = await startSingleCommits(url, work.shops)
    if (single) opened.defer(single.stop)
    for (const till of [postgres, sqlite]) await till.pay(AT_ONCE, work.warmUpSeconds)

    const speeds = { single: [] as Pair[], alone: [] as Pair[] }
    const costs: Pair[] = []
    for (let round = 0; round < work.rounds; round += 1) {
      const batched = await postgres.pay(AT_ONCE, work.seconds)
      if (single) speeds.single.push([batched.perSecond, await single.measure(work.seconds)])
      speeds.alone.push([batched.perSecond, (await postgres.pay(1, work.seconds)).perSecond])
      costs.push([batched.cpuEach, (await sqlite.pay(AT_ONCE, work.seconds)).cpuEach])
    }
    const what = `payments recorded through the ports on PostgreSQL, ${AT_ONCE} at once`
    const cpu = 'CPU of Node.js to record one of them'
    return [
      ...(single ? compare(what, single.name, speeds.single, perSecond, 'at least 2.50') : []),
      ...compare(what, 'the same, one at a time', speeds.alone, perSecond, 'at least 3.00'),
      ...compare(cpu, 'on SQLite, both threads', costs, microseconds, 'at most 1.50'),
    ]
  } finally {
    await opened.disposeAsync()
  }
}

async function openSqliteTill(shops: number): Promise<Till> {
  const folder = mkdtempSync(join(tmpdir(), 'soundbox-bench-'))
  const file = join(folder, 'hub.db')
  const options = storageOptions({ vault: createVault(MASTER_KEY) })
  const alone = openSqliteStorage(file, options)
  const { partner, made } = await fill(alone, shops)
  alone.close()
  const till = openTill(await openThreadedStorage(file, MASTER_KEY, options), partner.clientId, made)
  return {
    pay: till.pay,
    async close() {
      await till.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function openTill(storage: Storage, clientId: string, shops: readonly Shop[]): Till {
  const ids = createRandomIds()
  let count = 0

  async function record() {
    count += 1
    const { terminalID = '' } = shops[count % shops.length] ?? {}
    const at = Date.now()
    const payment = paymentOf({ id: ids.uuid(), clientId, terminalID, ftCode: `FT${at}-${count}`, at })
    const { kind } = await storage.payments.record(payment)
    if (kind !== 'recorded') throw new Error(`a payment was answered ${kind}`)
  }

  return {
    async pay(atOnce, seconds) {
      const before = count
      const cpuBefore = process.cpuUsage()
      const startedAt = performance.now()
      const worker = async () => {
        while (performance.now() - startedAt < seconds * 1000) await record()
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
      const tookMs = performance.now() - startedAt
      const { user, system } = process.cpuUsage(cpuBefore)
      const recorded = count - before
      return { perSecond: (recorded * 1000) / tookMs, cpuEach: (user + system) / recorded }
    },
    close: async () => storage.close(),
  }
}
