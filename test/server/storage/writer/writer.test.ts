import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Clock } from '../../../../server/platform/clock.ts'
import { HubError } from '../../../../server/platform/errors.ts'
import { createVault } from '../../../../server/security/vault.ts'
import type { StorageObserver } from '../../../../server/storage/ports.ts'
import type { StorageRules } from '../../../../server/storage/rules.ts'
import { type FileStorage, openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import type { WriterThread } from '../../../../server/storage/writer/client.ts'
import { serveWriter } from '../../../../server/storage/writer/server.ts'
import { openThreadedStorage } from '../../../../server/storage/writer/storage.ts'
import type { FromWriter, WriterData } from '../../../../server/storage/writer/wire.ts'
import { createVirtualClock, settle } from '../../../support/clock.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { layDatabase, TEST_MASTER_KEY } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import { AT, createShop, hashOf, payWell } from '../shop.ts'
import { storageContract } from '../storage-contract.ts'

const vault = createVault(TEST_MASTER_KEY)

/** The writer at the other end of a channel, in this thread: all that it is told and tells is copied all the same. */
function writerHere(rules: Partial<StorageRules> = {}) {
  return ({ file, masterKey }: WriterData): WriterThread => {
    const { port1, port2 } = new MessageChannel()
    const hub = storageOptions({ vault: createVault(Buffer.from(masterKey)) })
    const options = { ...hub, rules: { ...hub.rules, ...rules } }
    serveWriter(port2, (observe) => openSqliteStorage(file, { ...options, observe }))
    return {
      postMessage: (message) => port1.postMessage(message),
      on: (event, listener) => port1.on(event, listener),
      ended: new Promise((resolve) => port1.once('close', () => resolve())),
    }
  }
}

async function open(
  file: string,
  options: { rules?: Partial<StorageRules>; observe?: StorageObserver; clock?: Pick<Clock, 'after'> } = {},
): Promise<FileStorage> {
  const { rules, ...change } = options
  const here = storageOptions({ vault, ...change })
  const storage = await openThreadedStorage(file, TEST_MASTER_KEY, here, writerHere(rules))
  onTestFinished(() => storage.close())
  return storage
}

function newFile(): string {
  const file = join(temporaryFolder(), 'hub.db')
  layDatabase(file)
  return file
}

storageContract('SQLite with a writer thread', async (rules) => {
  const file = newFile()
  const clock = createVirtualClock()
  const openOther = () => open(file, { clock, rules: rules ?? {} })
  return { storage: await openOther(), reopen: openOther, openOther, passTime: () => clock.wind(1_000) }
})

describe('a storage with a writer thread', () => {
  it('reports to its observer before the act is answered', async () => {
    const told: string[] = []
    const storage = await open(newFile(), {
      observe: {
        stage: (stage, sinceQueuedMs) => told.push(`${stage} after ${sinceQueuedMs}`),
        commit: (writes) => told.push(`commit of ${writes}`),
      },
    })
    const shop = createShop(storage)
    const clientId = await shop.partner()
    await shop.speaker(clientId)
    told.length = 0
    await Promise.all([1, 2, 3].map(() => shop.pay(clientId)))
    expect(told).toEqual(['commit of 3', ...Array(3).fill('queued after 0')])
  })

  it('reports and answers all acts of one commit in one message', async () => {
    const messages: FromWriter[] = []
    const start = (data: WriterData): WriterThread => {
      const thread = writerHere()(data)
      thread.on('message', (message) => messages.push(message))
      return thread
    }
    const storage = await openThreadedStorage(newFile(), TEST_MASTER_KEY, storageOptions({ vault }), start)
    onTestFinished(() => storage.close())
    const shop = createShop(storage)
    const clientId = await shop.partner()
    await shop.speaker(clientId)
    messages.length = 0
    await Promise.all([1, 2, 3].map(() => shop.pay(clientId)))
    expect(messages.map((message) => ('json' in message ? JSON.parse(message.json) : message))).toMatchObject(
      [{ answers: { length: 3 }, observed: { length: 4 } }],
    )
  })

  it('carries a refusal with its name and details, and a failure with its message and stack', async () => {
    const settle = () => {
      throw new HubError('TRANSACTION_CONFLICT', {
        ...{ details: [{ field: 'ftCode', issue: 'is known' }], retryAfterS: 3, cause: new Error('deep') },
      })
    }
    const storage = await open(newFile(), { rules: { settle } })
    const shop = createShop(storage)
    const clientId = await shop.partner()
    await shop.speaker(clientId)
    const refused: unknown = await shop.pay(clientId).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(HubError)
    expect(refused).toMatchObject({
      ...{ kind: 'TRANSACTION_CONFLICT', details: [{ field: 'ftCode', issue: 'is known' }], retryAfterS: 3 },
      cause: { message: 'deep', stack: expect.stringContaining('writer.test.ts') },
    })
    const partner = { clientId, name: 'again', createdAt: AT, disabledAt: undefined }
    await expect(storage.partners.create(partner, 'secret')).rejects.toThrow(/UNIQUE constraint failed/)
  })

  it('reads every answered write, also while the writer commits the next', async () => {
    const storage = await open(newFile())
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const { storeId } = await shop.speaker(clientId)
    for (let count = 1n; count <= 5n; count += 1n) {
      await payWell(shop, clientId)
      const underWay = shop.pay(clientId)
      expect(await storage.stores.find(clientId, storeId)).toMatchObject({
        totalTransaction: 2n * count - 1n,
      })
      await underWay
    }
  })

  it('reads a partner as disabled as soon as the write is answered', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => now.mockRestore())
    const storage = await open(newFile())
    const clientId = await createShop(storage).partner()
    const pair = { accessHash: hashOf('a'), refreshHash: hashOf('r'), accessExpiresAt: AT + 1_000 }
    await storage.tokens.start({ id: 'family', clientId, expiresAt: AT + 1_000 }, pair, AT)
    expect(await storage.tokens.grant(pair.accessHash)).toMatchObject({ disabled: false })
    await storage.partners.disable(clientId, AT)
    expect(await storage.tokens.grant(pair.accessHash)).toMatchObject({ disabled: true })
  })

  it('commits all calls before it closes, and answers later ones never: nothing is logged for a hub that stops', async () => {
    const file = newFile()
    const storage = await open(file)
    const minted = createShop(storage).device('SPK-1')
    await storage.close()
    await minted
    expect(await Promise.race([storage.ping(), settle().then(() => 'no answer')])).toBe('no answer')
    expect(await (await open(file)).devices.list()).toMatchObject([{ serial: 'SPK-1' }])
  })

  it('finishes at its start what a writer that died had begun', async () => {
    const file = newFile()
    const storage = await open(file)
    const shop = createShop(storage)
    const clientId = await shop.partner()
    await shop.speaker(clientId)
    await Promise.all([1, 2, 3].map(() => shop.pay(clientId)))
    await storage.outbox.expire(AT + 120_000)
    await storage.close()
    const outside = new Database(file)
    onTestFinished(() => void outside.close())
    outside.exec(
      `INSERT INTO missed_marks SELECT 1, device_number, max(number), '[]', ${AT} FROM announcements`,
    )
    await (await open(file)).ping()
    expect(outside.prepare('SELECT count(*) FROM missed_marks').pluck().get()).toBe(0)
    expect(outside.prepare('SELECT count(missed_shown_at) FROM announcements').pluck().get()).toBe(3)
  })

  it('rejects when the file can not be opened', async () => {
    await expect(open(temporaryFolder())).rejects.toThrow(/can't be opened/)
  })
})
