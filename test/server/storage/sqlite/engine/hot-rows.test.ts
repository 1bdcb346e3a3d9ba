import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandomIds } from '../../../../../server/platform/ids.ts'
import { createVault } from '../../../../../server/security/vault.ts'
import type { Storage } from '../../../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../../../server/storage/sqlite/storage.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { openTestStorage, TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { storageOptions } from '../../../../support/storage-options.ts'
import { AT, bornWith, createShop, owned, ownerOf, payWell } from '../../shop.ts'
import { makePreviousDatabase, STORE } from '../schema/previous-schema.ts'

/** Enough writes for more than one flush. */
const MANY = 3_000
/** Far below what the commit queue takes at once. */
const AT_ONCE = 500

async function times(count: number, act: (index: number) => Promise<unknown>) {
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => act(from + index)))
}

function rowsIn(file: string, table: string): number {
  const sqlite = new Database(file, { readonly: true })
  const rows = sqlite.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()
  sqlite.close()
  return rows ?? Number.NaN
}

function openFile(file: string): Storage {
  const storage = openSqliteStorage(
    file,
    storageOptions({
      vault: createVault(TEST_MASTER_KEY),
      ids: createRandomIds(),
    }),
  )
  onTestFinished(() => storage.close())
  return storage
}

describe('totals', () => {
  it('are exact before and after each flush of the hot rows, also after reopening', async () => {
    const { storage, file, reopen } = openTestStorage()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const tills = [
      { terminalID: 'T1', storeId: '', totalTransaction: 0n, totalAmount: 0n },
      { terminalID: 'T2', storeId: '', totalTransaction: 0n, totalAmount: 0n },
    ]
    for (const till of tills) till.storeId = (await shop.speaker(clientId, till.terminalID)).storeId
    const stored = (from: Storage) =>
      Promise.all(tills.map(({ storeId }) => from.stores.find(clientId, storeId)))

    for (let paid = 0; paid < MANY; paid += AT_ONCE) {
      await times(AT_ONCE, async (index) => {
        for (const till of tills) {
          await payWell(shop, clientId, { terminalID: till.terminalID, amount: String(paid + index + 1) })
          till.totalTransaction += 1n
          till.totalAmount += BigInt(paid + index + 1)
        }
      })
      expect(await stored(storage)).toMatchObject(tills.map(({ storeId: id, ...sums }) => ({ id, ...sums })))
    }
    expect(rowsIn(file, 'store_totals')).toBe(2)

    const again = reopen()
    await payWell(createShop(again), clientId, { terminalID: 'T2', amount: '7' })
    // The first payment of a process empties what the last one has left.
    expect(rowsIn(file, 'store_totals_recent')).toBe(0)
    const [first, second] = await stored(again)
    expect(first?.totalAmount).toBe(tills[0]?.totalAmount)
    expect(second?.totalAmount).toBe((tills[1]?.totalAmount ?? 0n) + 7n)
  })

  it('lose no đồng beyond 2^53 at a flush', async () => {
    const file = makePreviousDatabase(temporaryFolder(), 1)
    const { totalTransaction, totalAmount } = STORE
    for (const round of [1n, 2n, 3n]) {
      const storage = openFile(file)
      await payWell(createShop(storage), 'sbc_1', { amount: '9999999999999' })
      expect(await storage.stores.find('sbc_1', STORE.id)).toMatchObject({
        totalTransaction: totalTransaction + round,
        totalAmount: totalAmount + round * 9_999_999_999_999n,
      })
    }
  })

  it('are complete for another process, whichever process flushes', async () => {
    const { storage, file } = openTestStorage()
    const other = openFile(file)
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const { storeId } = await shop.speaker(clientId)
    for (const [index, one] of [storage, other, storage, other].entries()) {
      await payWell(createShop(one), clientId)
      for (const reader of [storage, other])
        expect((await reader.stores.find(clientId, storeId))?.totalTransaction).toBe(BigInt(index + 1))
    }
  })
})

describe('command numbers', () => {
  it('rise one by one over flushes of the hot rows, and go on after reopening', async () => {
    const { storage, file, reopen } = openTestStorage()
    const { deviceId } = await createShop(storage).device()
    const owner = await owned(storage, deviceId)
    const before = await storage.outbox.highestNumber(deviceId)
    const taken: (number | undefined)[] = []
    await times(MANY, async () => taken.push(await storage.outbox.nextNumber(owner)))
    expect(taken).toEqual(Array.from({ length: MANY }, (_, index) => before + index + 1))
    expect(rowsIn(file, 'device_numbers')).toBe(1)

    const again = reopen()
    expect(await again.outbox.highestNumber(deviceId)).toBe(before + MANY)
    expect(await again.outbox.nextNumber(owner)).toBe(before + MANY + 1)
    expect(rowsIn(file, 'device_numbers_recent')).toBe(0)
    expect(await again.outbox.nextNumber(owner)).toBe(before + MANY + 2)
  })

  it('are never given twice by two processes that take them in turn', async () => {
    const { storage, file } = openTestStorage()
    const other = openFile(file)
    const shop = createShop(storage)
    const [one, two] = [
      await owned(storage, (await shop.device()).deviceId),
      await owned(storage, (await shop.device()).deviceId),
    ]
    const before = await storage.outbox.highestNumber(one.deviceId)
    const taken: (number | undefined)[] = []
    for (const from of [storage, other, other, storage]) {
      taken.push(await from.outbox.nextNumber(one))
      await from.outbox.nextNumber(two)
    }
    expect(taken).toEqual([1, 2, 3, 4].map((step) => before + step))
    expect(await other.outbox.highestNumber(two.deviceId)).toBe(before + 4)
  })

  it('rise above the number of a birth, whichever table holds the highest; a lower birth changes nothing', async () => {
    const { storage, reopen } = openTestStorage()
    const owner = ownerOf((await createShop(storage).device()).deviceId)
    const numbersOf = async (of: Storage, played: number) =>
      (await of.outbox.begin(owner, AT, { born: bornWith({ played }) }))?.numbers
    expect(await numbersOf(storage, 41)).toEqual([42, 43])
    const again = reopen()
    // What was recent has moved.
    await again.outbox.nextNumber(owner)
    expect(await numbersOf(again, 7)).toEqual([45, 46])
    expect(await numbersOf(again, 100)).toEqual([101, 102])
    expect(await again.outbox.nextNumber(owner)).toBe(103)
  })

  it('are not taken by an act that failed', async () => {
    // A birth takes its numbers before it looks at the settings.
    const catchUpSettings = () => {
      throw new Error('broken rules')
    }
    const planSettings = () => ({ kind: 'changed', desired: { ver: 1, volume: 70, lang: 'vi' } }) as const
    const { storage } = openTestStorage(undefined, { catchUpSettings, planSettings })
    const { outbox, settings } = storage
    const { deviceId, serial } = await createShop(storage).device()
    const owner = await owned(storage, deviceId)
    const before = await outbox.highestNumber(deviceId)
    await settings.change(OPERATOR, serial, {}, AT)
    const results = await Promise.allSettled([
      outbox.nextNumber(owner),
      outbox.begin(owner, AT, { born: bornWith() }),
      outbox.nextNumber(owner),
    ])
    expect(results).toMatchObject([{ value: before + 1 }, { status: 'rejected' }, { value: before + 2 }])
  })
})

it('keeps the links, the numbers and the open announcements of a file of the first schema', async () => {
  const folder = temporaryFolder()
  const file = makePreviousDatabase(folder, 3)
  const storage = openFile(join(folder, 'hub.db'))
  const paid = await payWell(createShop(storage), 'sbc_1')
  expect(paid.announcements).toMatchObject([{ deviceId: 'device-1', serial: 'SPK-1', n: 1 }])
  expect(await storage.devices.findFor('sbc_1', 'SPK-1')).toMatchObject({ stores: [{ id: 'store-1' }] })
  expect(await storage.outbox.open('device-1', AT)).toMatchObject([{ id: paid.announcements[0]?.id }])
  expect(rowsIn(file, 'payments')).toBe(4)
})
