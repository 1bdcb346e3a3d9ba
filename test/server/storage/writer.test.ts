import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { HubError } from '../../../server/platform/errors.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import {
  hubRules,
  type Storage,
  type StorageObserver,
  type StorageRules,
  UNOBSERVED,
} from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { AT_ONCE, createRemote, type Line, WAITING_LIMIT } from '../../../server/storage/writer/client.ts'
import { serveWriter } from '../../../server/storage/writer/server.ts'
import { openThreadedStorage } from '../../../server/storage/writer/storage.ts'
import type { FromWriter, ToWriter, WriterData } from '../../../server/storage/writer/wire.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { layDatabase, TEST_MASTER_KEY } from '../../support/storage.ts'
import { AT, createShop, hashOf, payWell } from './shop.ts'
import { storageContract } from './storage-contract.ts'

const vault = createVault(TEST_MASTER_KEY)

/** The writer at the other end of a channel, in this thread: all that it is told and tells is copied all the same. */
function writerHere(rules: Partial<StorageRules> = {}) {
  return ({ file, masterKey }: WriterData): Line => {
    const { port1, port2 } = new MessageChannel()
    const ids = createRandomIds()
    const options = { vault: createVault(Buffer.from(masterKey)), ids, rules: { ...hubRules(ids), ...rules } }
    serveWriter(port2, (observe) => openSqliteStorage(file, { ...options, observe }))
    return {
      postMessage: (message) => port1.postMessage(message),
      on: (event, listener) => port1.on(event, listener),
      ended: new Promise((resolve) => port1.once('close', () => resolve())),
    }
  }
}

function open(
  file: string,
  options: { rules?: Partial<StorageRules>; observe?: StorageObserver } = {},
): Storage {
  const { rules, observe = UNOBSERVED } = options
  const storage = openThreadedStorage(
    file,
    TEST_MASTER_KEY,
    { vault, ids: createRandomIds(), observe },
    writerHere(rules),
  )
  onTestFinished(() => storage.close())
  return storage
}

function newFile(): string {
  const file = join(temporaryFolder(), 'hub.db')
  layDatabase(file)
  return file
}

storageContract('SQLite with a writer apart', (rules) => {
  const file = newFile()
  const reopen = () => open(file, { rules: rules ?? {} })
  return { storage: reopen(), reopen }
})

describe('a storage with a writer apart', () => {
  it('tells its observer what the writer has done, and before the act is answered', async () => {
    const told: string[] = []
    const storage = open(newFile(), {
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

  it('tells what one commit has done, and answers all of its acts, in one message', async () => {
    const messages: FromWriter[] = []
    const start = (data: WriterData): Line => {
      const line = writerHere()(data)
      line.on('message', (message) => messages.push(message))
      return line
    }
    const options = { vault, ids: createRandomIds() }
    const storage = openThreadedStorage(newFile(), TEST_MASTER_KEY, options, start)
    onTestFinished(() => storage.close())
    const shop = createShop(storage)
    const clientId = await shop.partner()
    await shop.speaker(clientId)
    messages.length = 0
    await Promise.all([1, 2, 3].map(() => shop.pay(clientId)))
    expect(messages.map(({ packed }) => JSON.parse(packed))).toMatchObject([
      { answers: { length: 3 }, observed: { length: 4 } },
    ])
  })

  it('answers a refusal with its name and its details, and a failure with what the log needs', async () => {
    const settle = () => {
      throw new HubError('TRANSACTION_CONFLICT', {
        ...{ details: [{ field: 'ftCode', issue: 'is known' }], retryAfterS: 3, cause: new Error('deep') },
      })
    }
    const storage = open(newFile(), { rules: { settle } })
    const shop = createShop(storage)
    const clientId = await shop.partner()
    await shop.speaker(clientId)
    const refused: unknown = await shop.pay(clientId).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(HubError)
    expect(refused).toMatchObject({
      ...{ kind: 'TRANSACTION_CONFLICT', details: [{ field: 'ftCode', issue: 'is known' }], retryAfterS: 3 },
      cause: { message: 'deep', stack: expect.stringContaining('thread.test.ts') },
    })
    const partner = { clientId, name: 'again', createdAt: AT, disabledAt: undefined }
    await expect(storage.partners.create(partner, 'secret')).rejects.toThrow(/UNIQUE constraint failed/)
  })

  it('reads what was answered, at once and while the writer is writing', async () => {
    const storage = open(newFile())
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

  it('knows a partner as disabled from the answer on that has disabled it, however soon', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => now.mockRestore())
    const storage = open(newFile())
    const clientId = await createShop(storage).partner()
    const pair = { accessHash: hashOf('a'), refreshHash: hashOf('r'), accessExpiresAt: AT + 1_000 }
    await storage.tokens.start({ id: 'family', clientId, expiresAt: AT + 1_000 }, pair, AT)
    expect(await storage.tokens.grant(pair.accessHash)).toMatchObject({ disabled: false })
    await storage.partners.disable(clientId, AT)
    expect(await storage.tokens.grant(pair.accessHash)).toMatchObject({ disabled: true })
  })

  it('commits what was handed over before it closes, and then takes nothing more', async () => {
    const file = newFile()
    const storage = open(file)
    const minted = createShop(storage).device('SPK-1')
    await storage.close()
    await minted
    await expect(storage.ping()).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
    expect(await open(file).devices.list()).toMatchObject([{ serial: 'SPK-1' }])
  })

  it('is told at once that a file can not be opened', () => {
    expect(() => open(temporaryFolder())).toThrow(/can't be opened/)
  })
})

/** A writer that answers nothing, and what it was told. */
function silentLine() {
  const told: ToWriter[] = []
  let listener: (message: FromWriter) => void = () => undefined
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const line: Line = {
    postMessage: (message) => told.push(message),
    on: (_event, listen) => {
      listener = listen
    },
    ended,
  }
  return { line, told, end, answer: (message: FromWriter) => listener(message) }
}

const NOTHING = JSON.stringify({ answers: [], observed: [] })
const turn = () => new Promise((resolve) => setImmediate(resolve))
const numbersOf = (message: ToWriter | undefined) =>
  message !== undefined && typeof message === 'object' && 'acts' in message
    ? message.acts.map(({ number }) => number)
    : []

describe('acts on their way to the writer', () => {
  it('go together at the end of a turn, and sooner when they are many', async () => {
    const { line, told } = silentLine()
    const remote = createRemote(line, UNOBSERVED)
    const call = () => void remote.call('outbox', 'nextNumber', ['device'])
    for (let count = 1; count <= 3; count += 1) call()
    expect(told).toEqual([])
    await turn()
    expect(told.map(numbersOf)).toEqual([[1, 2, 3]])
    for (let count = 1; count <= AT_ONCE + 1; count += 1) call()
    expect(numbersOf(told[1])).toHaveLength(AT_ONCE)
    await turn()
    expect(numbersOf(told[2])).toEqual([AT_ONCE + 4])
  })

  it('are refused beyond what may wait, and taken again when one was answered', async () => {
    const { line, answer } = silentLine()
    const remote = createRemote(line, UNOBSERVED)
    const first = remote.call('outbox', 'nextNumber', ['device'])
    for (let count = 1; count < WAITING_LIMIT; count += 1)
      void remote.call('outbox', 'nextNumber', ['device'])
    const one = remote.call('outbox', 'nextNumber', ['device'])
    await expect(one).rejects.toMatchObject({ kind: 'UNAVAILABLE', retryAfterS: 1 })
    answer({ answers: [{ number: 1, value: 7 }], packed: NOTHING })
    expect(await first).toBe(7)
    const next = remote.call('outbox', 'nextNumber', ['device'])
    answer({ answers: [{ number: WAITING_LIMIT + 1, value: 8 }], packed: NOTHING })
    expect(await next).toBe(8)
  })

  it('are refused when the writer ends without an answer', async () => {
    const { line, end } = silentLine()
    const remote = createRemote(line, UNOBSERVED)
    const call = remote.call('outbox', 'nextNumber', ['device'])
    expect(remote.waiting()).toBe(1)
    end()
    await expect(call).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
    await expect(remote.call('outbox', 'nextNumber', ['device'])).rejects.toMatchObject({
      kind: 'UNAVAILABLE',
    })
    expect(remote.waiting()).toBe(0)
  })

  it('are told before the end, when there is to be one', async () => {
    const { line, told, end } = silentLine()
    const remote = createRemote(line, UNOBSERVED)
    const call = remote.call('outbox', 'nextNumber', ['device'])
    const closed = remote.close()
    expect([numbersOf(told[0]), told[1]]).toEqual([[1], 'close'])
    end()
    await expect(call).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
    await closed
  })

  it('keep their order, whichever of them are packed', async () => {
    const { line, told } = silentLine()
    const remote = createRemote(line, UNOBSERVED)
    void remote.call('outbox', 'markSent', ['first', AT])
    void remote.call('outbox', 'nextNumber', ['second'])
    void remote.call('outbox', 'markSent', ['third', AT])
    await turn()
    expect(told).toEqual([
      { packed: JSON.stringify([[1, 'outbox', 'markSent', ['first', AT]]]) },
      { acts: [{ number: 2, port: 'outbox', method: 'nextNumber', args: ['second'] }] },
      { packed: JSON.stringify([[3, 'outbox', 'markSent', ['third', AT]]]) },
    ])
  })

  it('carry bytes in memory of their own', async () => {
    const { line, told } = silentLine()
    const remote = createRemote(line, UNOBSERVED)
    const pooled = Buffer.from('pooled')
    expect(pooled.buffer.byteLength).toBeGreaterThan(pooled.byteLength)
    void remote.call('tokens', 'start', [{ deep: [pooled], plain: 1 }])
    await turn()
    const carried: Uint8Array = Object(told[0]).acts[0].args[0].deep[0]
    expect(carried).toEqual(Uint8Array.from(pooled))
    expect(carried.buffer.byteLength).toBe(pooled.byteLength)
  })
})
