import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../../../server/announcements/announcement.ts'
import type { Engine } from '../../../../../server/storage/acts/act.ts'
import { createMissed } from '../../../../../server/storage/acts/outbox/missed.ts'
import { createActEngine } from '../../../../../server/storage/sqlite/engine/act-engine.ts'
import { openDatabaseToRead } from '../../../../../server/storage/sqlite/engine/database.ts'
import { createDeviceStates } from '../../../../../server/storage/sqlite/rows/device-states.ts'
import { openTestStorage } from '../../../../support/storage.ts'
import { AT, createShop } from '../../shop.ts'

it('a payment that another thread commits while a summary is made is not marked as shown with it', async () => {
  const { storage, file, vault } = openTestStorage()
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const { deviceId } = await shop.speaker(clientId)
  await shop.pay(clientId, { amount: '7' })
  await storage.outbox.expire(AT + ANNOUNCEMENT_FRESH_MS)
  await shop.pay(clientId, { amount: '11' })

  // The second announcement is committed behind the first read of the summary.
  const outside = new Database(file)
  onTestFinished(() => void outside.close())
  const newest = 'number = (SELECT max(number) FROM announcements)'
  const late = outside.prepare<[], object>(`SELECT * FROM announcements WHERE ${newest}`).get() ?? {}
  const columns = Object.keys(late)
  const add = outside.prepare(`INSERT INTO announcements (${columns}) VALUES (${columns.map(() => '?')})`)
  outside.prepare(`DELETE FROM announcements WHERE ${newest}`).run()
  let commit: (() => void) | undefined = () => void add.run(Object.values(late))
  const reader = openDatabaseToRead(file, vault)
  onTestFinished(() => reader.close())
  const { sqlite } = reader
  const prepare = sqlite.prepare.bind(sqlite)
  sqlite.prepare = ((text: string) => {
    const statement = prepare(text)
    if (!text.includes('FROM announcements')) return statement
    for (const method of ['get', 'all'] as const) {
      const read = statement[method].bind(statement)
      const readThenCommit = (...args: unknown[]) => {
        const found = read(...args)
        commit?.()
        commit = undefined
        return found
      }
      Object.assign(statement, { [method]: readThenCommit })
    }
    return statement
  }) as typeof sqlite.prepare

  const engine = createActEngine(reader, vault)
  const missed = await createMissed(engine, createDeviceStates(reader.sqlite))(deviceId)
  expect(commit).toBeUndefined()
  expect(missed).toMatchObject({ count: 1, amount: '7' })
  await storage.outbox.expire(AT + 10 * ANNOUNCEMENT_FRESH_MS)
  await storage.outbox.markMissedShown(deviceId, missed?.mark ?? { upTo: 0, except: [] }, AT)
  expect(await storage.outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '11' })
})

it('a payment that is missed between two pages of a summary is no part of it', async () => {
  const { storage, file, vault } = openTestStorage()
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const { deviceId } = await shop.speaker(clientId)
  async function miss(amount: string) {
    await shop.pay(clientId, { amount })
    await storage.outbox.expire(AT + ANNOUNCEMENT_FRESH_MS)
  }
  for (const amount of ['1', '2', '3']) await miss(amount)

  const reader = openDatabaseToRead(file, vault)
  onTestFinished(() => reader.close())
  const engine = createActEngine(reader, vault)
  let pages = 0
  const reading = ((act) => {
    const read = engine.reading(act)
    return async (...args) => {
      const page = await read(...args)
      pages += 1
      if (pages === 1) await miss('100')
      return page
    }
  }) as Engine['reading']
  const missed = createMissed({ ...engine, reading, scanned: 2 }, createDeviceStates(reader.sqlite))
  expect(await missed(deviceId)).toMatchObject({ count: 3, amount: '6' })
  expect(pages).toBe(2)
})
