import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Clock } from '../../../../server/platform/clock.ts'
import { HubError } from '../../../../server/platform/errors.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { type StorageObserver, UNOBSERVED } from '../../../../server/storage/ports.ts'
import type { StorageRules } from '../../../../server/storage/rules.ts'
import { type FileStorage, openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import {
  AT_WRITER_LIMIT,
  BATCH_LIMIT,
  createWriterClient,
  OWNER_LIMIT,
  WAITING_LIMIT,
  type WriterClient,
  type WriterThread,
} from '../../../../server/storage/writer/client.ts'
import { serveWriter } from '../../../../server/storage/writer/server.ts'
import { openThreadedStorage } from '../../../../server/storage/writer/storage.ts'
import type { Call, FromWriter, ToWriter, WriterData } from '../../../../server/storage/writer/wire.ts'
import { createVirtualClock } from '../../../support/clock.ts'
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

  it('commits all calls before it closes, and refuses later ones', async () => {
    const file = newFile()
    const storage = await open(file)
    const minted = createShop(storage).device('SPK-1')
    await storage.close()
    await minted
    await expect(storage.ping()).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
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

/** A writer that answers nothing by itself, and the messages that it was sent. */
function silentWriter() {
  const sent: ToWriter[] = []
  let listener: (message: FromWriter) => void = () => undefined
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const thread: WriterThread = {
    postMessage: (message) => sent.push(message),
    on: (_event, listen) => {
      listener = listen
    },
    ended,
  }
  const client = createWriterClient(thread, UNOBSERVED)
  const nextNumber = (deviceId = 'device') => client.call('outbox.nextNumber', [deviceId])
  const answer = (callId: number, value: unknown) => listener({ answers: [{ callId, value }], observed: [] })
  /** The devices of the calls that the writer was sent, in order. */
  const devices = () => sent.flatMap(callsOf).map(({ args }) => args[0])
  return { devices, client, nextNumber, sent, end, answer }
}

const STEP = { announcementId: 'id', commandNumber: 1, stage: 'played', reason: undefined } as const
const turn = () => new Promise((resolve) => setImmediate(resolve))
const callsOf = (message: ToWriter | undefined): Call[] => {
  if (message === undefined || message === 'close') return []
  return 'json' in message ? JSON.parse(message.json) : message
}
const callIdsOf = (message: ToWriter | undefined) => callsOf(message).map(({ callId }) => callId)

describe('calls to the writer', () => {
  it('leave together at the end of a turn, and earlier when a batch is full', async () => {
    const { nextNumber, sent } = silentWriter()
    for (let count = 1; count <= 3; count += 1) void nextNumber()
    expect(sent).toEqual([])
    await turn()
    expect(sent.map(callIdsOf)).toEqual([[1, 2, 3]])
    for (let count = 1; count <= BATCH_LIMIT + 1; count += 1) void nextNumber()
    expect(callIdsOf(sent[1])).toHaveLength(BATCH_LIMIT)
    await turn()
    expect(callIdsOf(sent[2])).toEqual([BATCH_LIMIT + 4])
  })

  it('are refused beyond the limit of waiting calls, and accepted again after an answer', async () => {
    const { nextNumber, answer } = silentWriter()
    const first = nextNumber('owner 0')
    for (let count = 1; count < WAITING_LIMIT; count += 1) void nextNumber(`owner ${count % 10}`)
    await expect(nextNumber('another')).rejects.toMatchObject({ kind: 'UNAVAILABLE', retryAfterS: 1 })
    answer(1, 7)
    expect(await first).toBe(7)
    const next = nextNumber('another')
    answer(WAITING_LIMIT + 1, 8)
    expect(await next).toBe(8)
  })

  it('are refused beyond the limit of one owner, and accepted from all others', async () => {
    const { client, nextNumber, answer } = silentWriter()
    for (let count = 0; count < AT_WRITER_LIMIT + OWNER_LIMIT; count += 1) void nextNumber('flood')
    await expect(nextNumber('flood')).rejects.toMatchObject({ kind: 'UNAVAILABLE', retryAfterS: 1 })
    void nextNumber('quiet')
    answer(1, 1)
    void nextNumber('flood')
    expect(client.waiting()).toBe(AT_WRITER_LIMIT + OWNER_LIMIT + 1)
  })

  it('go to the writer from their owners in turn: a flood leaves another its place', async () => {
    const { nextNumber, answer, devices } = silentWriter()
    for (let count = 0; count < AT_WRITER_LIMIT + 1_000; count += 1) void nextNumber('flood')
    void nextNumber('quiet')
    await turn()
    expect(devices()).toEqual(Array(AT_WRITER_LIMIT).fill('flood'))
    for (const callId of [1, 2, 3]) answer(callId, callId)
    await turn()
    expect(devices().slice(AT_WRITER_LIMIT)).toEqual(['flood', 'quiet', 'flood'])
  })

  it('of one owner keep their order, whether they have to wait or not', async () => {
    const { client, sent, answer } = silentWriter()
    const ids = Array.from({ length: AT_WRITER_LIMIT + 100 }, (_, index) => `bill ${index}`)
    for (const id of ids) void client.call('settings.change', [{ clientId: 'partner' }, id, {}])
    for (let callId = 1; callId <= 100; callId += 1) answer(callId, undefined)
    await turn()
    expect(sent.flatMap(callsOf).map(({ args }) => args[1])).toEqual(ids)
  })

  it.each<[named: string, call: (client: WriterClient) => Promise<unknown>]>([
    ['a partner', (client) => client.call('settings.change', [{ clientId: 'p' }, 'SPK-1', {}])],
    ['a device', (client) => client.call('outbox.recordAck', [{ ...STEP, deviceId: 'p' }, AT])],
    ['a text', (client) => client.call('devices.revoke', ['p', AT])],
  ])('belong to %s that the first argument names', async (_, call) => {
    const { client, nextNumber, answer, sent } = silentWriter()
    for (let count = 0; count < AT_WRITER_LIMIT; count += 1) void nextNumber('flood')
    for (let count = 0; count < 3; count += 1) void nextNumber('p')
    void call(client)
    for (let count = 0; count < 3; count += 1) void client.call('ping', [])
    for (let callId = 1; callId <= 7; callId += 1) answer(callId, undefined)
    await turn()
    const acts = sent.flatMap(callsOf).slice(AT_WRITER_LIMIT)
    expect(acts.map(({ act }) => act === 'ping').join()).toBe('false,true,false,true,false,true,false')
    expect(acts.at(-1)?.act).not.toBe('outbox.nextNumber')
  })

  it('that wait for their turn leave before the order to close', async () => {
    const { client, nextNumber, sent, answer, end } = silentWriter()
    const calls = Array.from({ length: AT_WRITER_LIMIT + 1 }, () => nextNumber())
    const closed = client.close()
    await expect(nextNumber()).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
    await turn()
    expect(sent.flatMap(callsOf)).toHaveLength(AT_WRITER_LIMIT)
    expect(sent).not.toContain('close')
    answer(1, 1)
    await turn()
    expect(callIdsOf(sent.at(-2))).toEqual([AT_WRITER_LIMIT + 1])
    expect(sent.at(-1)).toBe('close')
    end()
    const settled = await Promise.allSettled(calls)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await closed
  })

  it('keep their order, whether their batch travels as JSON or as objects', async () => {
    const { client, sent } = silentWriter()
    void client.call('outbox.markSent', ['first', AT])
    await turn()
    void client.call('outbox.markSent', ['second', AT])
    void client.call('outbox.nextNumber', ['third'])
    void client.call('outbox.markSent', ['fourth', AT])
    await turn()
    expect(sent.map((message) => Object.keys(message)[0])).toEqual(['json', '0'])
    expect(sent.flatMap(callsOf).map(({ args }) => args[0])).toEqual(['first', 'second', 'third', 'fourth'])
  })
})
