import { expect, it } from 'vitest'
import type { Outcome } from '../../../../server/idempotency/ports.ts'
import { AT, hashOf } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

const DAY_MS = 24 * 60 * 60_000
const EXPIRES_AT = AT + DAY_MS

const done: Outcome = { kind: 'done', status: 201, body: '{"storeName":"Phở Hà"}' }
const refused: Outcome = {
  ...{ kind: 'refused', error: 'BODY_DEVICE_NOT_FOUND', retryAfterS: undefined },
  details: [{ field: 'deviceSerial', issue: 'is not a device that you can use' }],
}
const kept = (outcome: Outcome, request = 'request') => ({ request: hashOf(request), outcome })

export function idempotencyContract(open: OpenStorage) {
  it.each([
    ['an answer', done],
    ['a refusal', refused],
  ])('returns %s as it was stored, also after reopening', async (_, outcome) => {
    const { storage, reopen } = await open()
    await storage.idempotency.keep(hashOf('key'), kept(outcome), AT, EXPIRES_AT)
    expect(await storage.idempotency.find(hashOf('key'), AT)).toEqual(kept(outcome))
    expect(await (await reopen()).idempotency.find(hashOf('key'), AT)).toEqual(kept(outcome))
  })

  it('finds nothing under another key', async () => {
    const { storage } = await open()
    await storage.idempotency.keep(hashOf('key'), kept(done), AT, EXPIRES_AT)
    expect(await storage.idempotency.find(hashOf('other'), AT)).toBeUndefined()
  })

  it('finds nothing from the end of its time on', async () => {
    const { storage } = await open()
    await storage.idempotency.keep(hashOf('key'), kept(done), AT, EXPIRES_AT)
    expect(await storage.idempotency.find(hashOf('key'), EXPIRES_AT - 1)).toBeDefined()
    expect(await storage.idempotency.find(hashOf('key'), EXPIRES_AT)).toBeUndefined()
  })

  it('keeps the first of two under one key, until its time is over', async () => {
    const { storage } = await open()
    const { idempotency } = storage
    const keep = (request: string, at: number) =>
      idempotency.keep(hashOf('key'), kept(done, request), at, at + DAY_MS)
    await keep('first', AT)
    await keep('second', AT)
    expect(await idempotency.find(hashOf('key'), AT)).toEqual(kept(done, 'first'))
    await keep('third', EXPIRES_AT)
    expect(await idempotency.find(hashOf('key'), EXPIRES_AT)).toEqual(kept(done, 'third'))
  })

  it('keeps one of two that come at once', async () => {
    const { storage } = await open()
    const { idempotency } = storage
    const keep = (request: string) => idempotency.keep(hashOf('key'), kept(done, request), AT, EXPIRES_AT)
    await Promise.all([keep('one'), keep('other')])
    // Of two transactions, either may come first.
    const found = await idempotency.find(hashOf('key'), AT)
    expect([kept(done, 'one'), kept(done, 'other')]).toContainEqual(found)
    await keep('later')
    expect(await idempotency.find(hashOf('key'), AT)).toEqual(found)
  })

  it('deletes no outcome when another one is kept under a clock that is ahead', async () => {
    const { storage } = await open()
    const { idempotency } = storage
    await idempotency.keep(hashOf('key'), kept(done), AT, EXPIRES_AT)
    const later = AT + 100 * DAY_MS
    await idempotency.keep(hashOf('other'), kept(done), later, later + DAY_MS)
    expect(await idempotency.find(hashOf('key'), AT)).toEqual(kept(done))
  })
}
