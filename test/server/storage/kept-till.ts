import { expect, onTestFinished } from 'vitest'
import { createRandomIds } from '../../../server/platform/ids.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openDatabase } from '../../../server/storage/sqlite/engine/database.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { openTestStorage } from '../../support/storage.ts'
import { createShop } from './shop.ts'

/** A till that a payment was made at, so that it is kept, and others that may write to the same file. */
export async function keptTill() {
  const { storage, vault, file } = openTestStorage()
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  const openOther = () => {
    const other = openSqliteStorage(file, { vault, ids: createRandomIds() })
    onTestFinished(() => other.close())
    return other
  }
  const connect = () => {
    const database = openDatabase(file, vault)
    onTestFinished(database.close)
    return database
  }
  expect(await shop.pay(clientId)).toMatchObject({ kind: 'recorded', announcements: [{ lang: 'vi' }] })
  return { storage, vault, clientId, speaker, openOther, connect }
}

/** What a payment says of its till. */
export async function told(storage: Pick<Storage, 'payments'>, clientId: string, terminalID = 'T1') {
  const shop = createShop({ ...openNothing, payments: storage.payments })
  const result = await shop.pay(clientId, { terminalID })
  if (result.kind !== 'recorded') return result.kind
  const { answer, announcements, speakers } = result
  return {
    ...answer,
    id: undefined,
    announced: announcements.map(({ deviceId, serial, lang }) => ({ deviceId, serial, lang })),
    speakers,
  }
}

/** A payment asks for no other port. */
const openNothing = {} as Storage
