import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../../../../server/announcements/announcement.ts'
import { OPEN_AT_ONCE } from '../../../../../../server/announcements/ports.ts'
import { byPartner } from '../../../../../../server/security/actor.ts'
import { createVault } from '../../../../../../server/security/vault.ts'
import { PAGE } from '../../../../../../server/storage/shared/pages.ts'
import { openSqliteStorage, type SqliteStorage } from '../../../../../../server/storage/sqlite/storage.ts'
import { LONG_ACTS, STALE_AT } from '../../../../../server/storage/long-acts.ts'
import { AT, createShop, owned } from '../../../../../server/storage/shop.ts'
import { temporaryFolder } from '../../../../../support/folder.ts'
import { layDatabase, TEST_MASTER_KEY } from '../../../../../support/storage.ts'
import { storageOptions } from '../../../../../support/storage-options.ts'

/** Two whole pages behind the first small one, and a part of another. */
const MANY = 2 * PAGE + 150

/** A speaker with many announcements, and a look at the file behind every commit. */
async function world() {
  const folder = temporaryFolder()
  const file = join(folder, 'hub.db')
  layDatabase(file)
  let looks: (() => void)[] = []
  const observe = { stage: () => undefined, commit: () => void looks.shift()?.() }
  const open = (path = file) => {
    const storage = openSqliteStorage(path, storageOptions({ vault: createVault(TEST_MASTER_KEY), observe }))
    onTestFinished(() => storage.close())
    return storage
  }
  const storage = open()
  const outside = new Database(file, { readonly: true })
  onTestFinished(() => void outside.close())
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  await Promise.all(Array.from({ length: MANY }, () => shop.pay(clientId, { amount: '3' })))
  /** The file as a power cut right now would leave it. */
  function cutOff(name: string): string {
    const copy = join(folder, name)
    copyFileSync(file, copy)
    copyFileSync(`${file}-wal`, `${copy}-wal`)
    return copy
  }
  return {
    ...{ file, storage, shop, clientId, speaker, outside, open, cutOff },
    /** Calls each function behind the next commit, one after the other. */
    lookAtCommits(...next: (() => void)[]) {
      looks = next
    },
  }
}

describe.each(LONG_ACTS)('$name', ({ prepare, run, left }) => {
  const counting = `SELECT count(*) FROM announcements WHERE ${left}`

  it('moves no more than a page in a commit', async () => {
    const here = await world()
    await prepare?.(here.storage, here)
    const count = here.outside.prepare<[], number>(counting).pluck()
    const counts = [count.get() ?? 0]
    here.lookAtCommits(...Array(20).fill(() => counts.push(count.get() ?? 0)))
    await run(here.storage, here)
    expect(count.get()).toBe(0)
    const moved = counts.slice(1).map((now, index) => (counts[index] ?? 0) - now)
    expect(Math.max(...moved)).toBeLessThanOrEqual(PAGE)
    expect(moved.reduce((sum, one) => sum + one)).toBe(MANY)
  })

  it('is finished by a repeat when the hub dies between two commits', async () => {
    const here = await world()
    await prepare?.(here.storage, here)
    let cut = ''
    here.lookAtCommits(
      () => undefined,
      () => {
        cut = here.cutOff('cut.db')
      },
    )
    await run(here.storage, here)
    const storage = here.open(cut)
    const outside = new Database(cut, { readonly: true })
    onTestFinished(() => void outside.close())
    const count = outside.prepare<[], number>(counting).pluck()
    expect(count.get()).toBeGreaterThan(0)
    await run(storage, here)
    // A start finishes what an earlier try has begun.
    await storage.resume()
    expect(count.get()).toBe(0)
  })

  it('lets a payment of another pass', async () => {
    const here = await world()
    await prepare?.(here.storage, here)
    const { shop, storage } = here
    const other = await shop.partner()
    await shop.speaker(other)
    const ended: string[] = []
    const long = run(storage, here).then(() => ended.push('the long act'))
    await Promise.all([long, shop.pay(other).then(() => ended.push('the payment'))])
    expect(ended).toEqual(['the payment', 'the long act'])
  })
})

it('a lock that takes several commits leaves one audit row, also when the hub dies between two', async () => {
  const here = await world()
  let cut = ''
  here.lookAtCommits(() => {
    cut = here.cutOff('cut.db')
  })
  const lock = ({ devices }: SqliteStorage) =>
    devices.setActive(byPartner(here.clientId), here.speaker.serial, false, AT)
  await lock(here.storage)
  const repeated = here.open(cut)
  await lock(repeated)
  for (const { audit } of [here.storage, repeated])
    expect(await audit.list({ action: 'device.lock', limit: 10 })).toMatchObject([{ actor: here.clientId }])
})

it('a sweep that fails between two commits names its devices at the next one', async () => {
  const { storage, lookAtCommits, speaker, file } = await world()
  const locker = new Database(file)
  onTestFinished(() => void locker.close())
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  lookAtCommits(() => {
    locker.exec('BEGIN IMMEDIATE')
    lock()
  })
  const swept = expect(storage.outbox.expire(STALE_AT)).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
  await locked
  while (storage.writesWaiting() > 0) {
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(1_000)
  }
  await swept
  locker.exec('ROLLBACK')
  expect(await storage.outbox.expire(STALE_AT - 1)).toEqual([speaker.deviceId])
})

describe('payments that were missed', () => {
  const missedWorld = async () => {
    const here = await world()
    await here.storage.outbox.expire(STALE_AT)
    const missed = await here.storage.outbox.missed(here.speaker.deviceId)
    if (!missed) throw new Error('nothing was missed')
    const show = () => here.storage.outbox.markMissedShown(here.speaker.deviceId, missed.mark, STALE_AT)
    return { ...here, missed, show }
  }
  const UNSHOWN = 'SELECT count(*) FROM announcements WHERE missed_shown_at IS NULL'

  it('are summed up over several pages', async () => {
    const { missed } = await missedWorld()
    expect(missed).toMatchObject({ count: MANY, amount: String(3 * MANY) })
  })

  it('count as shown at once and all together, also when the hub dies before they are marked', async () => {
    const { show, outside, speaker, lookAtCommits, cutOff, open } = await missedWorld()
    let cut = ''
    const count = outside.prepare<[], number>(UNSHOWN).pluck()
    const left: unknown[] = []
    const look = () => void left.push(count.get())
    lookAtCommits(
      () => {
        look()
        cut = cutOff('cut.db')
      },
      ...Array(3).fill(look),
    )
    await show()
    expect(left).toEqual([MANY - 50, MANY - 50 - PAGE, MANY - 50 - 2 * PAGE, 0])

    const storage = open(cut)
    expect(await storage.outbox.missed(speaker.deviceId)).toBeUndefined()
    await storage.resume()
    const after = new Database(cut, { readonly: true })
    onTestFinished(() => void after.close())
    expect(after.prepare(UNSHOWN).pluck().get()).toBe(0)
    expect(after.prepare('SELECT count(*) FROM missed_marks').pluck().get()).toBe(0)
  })

  it('are marked exactly as summed up, whatever is missed meanwhile', async () => {
    const { storage, shop, clientId, speaker } = await world()
    const { outbox } = storage
    const [early, late] = [
      await shop.pay(clientId, { amount: '7' }),
      await shop.pay(clientId, { amount: '11' }),
    ]
    if (early.kind !== 'recorded' || late.kind !== 'recorded') throw new Error('not recorded')
    const sent = early.announcements[0]?.id ?? ''
    await outbox.markSent(sent, await owned(storage, speaker.deviceId), AT)
    await outbox.expire(STALE_AT)
    const missed = await outbox.missed(speaker.deviceId)
    expect(missed).toMatchObject({ count: MANY + 1, amount: String(3 * MANY + 11) })
    // The older one was sent, so it ends later. Another is paid and ends, too.
    await shop.pay(clientId, { amount: '13', receivedAt: AT })
    await outbox.expire(STALE_AT + 60_000)
    await outbox.markMissedShown(speaker.deviceId, missed?.mark ?? { upTo: 0, except: [] }, STALE_AT)
    expect(await outbox.missed(speaker.deviceId)).toMatchObject({ count: 2, amount: '20' })
  })

  it('are named by a small mark, however many may still be missed', async () => {
    const { storage, shop, clientId, speaker } = await world()
    const { outbox } = storage
    await outbox.expire(STALE_AT)
    await Promise.all(Array.from({ length: 501 }, () => shop.pay(clientId, { receivedAt: STALE_AT })))
    const missed = await outbox.missed(speaker.deviceId)
    expect(missed).toMatchObject({ count: MANY, mark: { except: [] } })
    await outbox.expire(STALE_AT + ANNOUNCEMENT_FRESH_MS)
    await outbox.markMissedShown(speaker.deviceId, missed?.mark ?? { upTo: 0, except: [] }, STALE_AT)
    expect(await outbox.missed(speaker.deviceId)).toMatchObject({ count: 501 })
  })
})

it('lists open announcements page by page', async () => {
  const { storage, speaker } = await world()
  const first = await storage.outbox.open(speaker.deviceId, AT)
  expect(first.map(({ n }) => n)).toEqual(Array.from({ length: OPEN_AT_ONCE }, (_, index) => index + 1))
  expect((await storage.outbox.open(speaker.deviceId, AT, OPEN_AT_ONCE))[0]?.n).toBe(OPEN_AT_ONCE + 1)
  expect(await storage.outbox.open(speaker.deviceId, AT, MANY - 1)).toHaveLength(1)
})
