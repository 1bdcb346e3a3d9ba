import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { HubError } from '../../../../server/platform/errors.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import type { WriterThread } from '../../../../server/storage/writer/client.ts'
import { openThreadedStorage } from '../../../../server/storage/writer/storage.ts'
import type { FromWriter, WriterData } from '../../../../server/storage/writer/wire.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { settle } from '../../../support/clock.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import { AT, createShop, hashOf, payWell } from '../shop.ts'
import { newFile, open, vault, writerHere } from './writer-here.ts'

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
    await expect(storage.partners.create(OPERATOR, partner, 'secret')).rejects.toThrow(
      /UNIQUE constraint failed/,
    )
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
    await storage.tokens.start(
      byPartner(clientId),
      { id: 'family', clientId, expiresAt: AT + 1_000 },
      pair,
      AT,
    )
    expect(await storage.tokens.grant(pair.accessHash)).toMatchObject({ disabled: false })
    await storage.partners.disable(OPERATOR, clientId, AT)
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
