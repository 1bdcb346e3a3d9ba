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
    await Promise.all([keep('first', AT), keep('second', AT)])
    expect(await idempotency.find(hashOf('key'), AT)).toEqual(kept(done, 'first'))
    await keep('third', EXPIRES_AT)
    expect(await idempotency.find(hashOf('key'), EXPIRES_AT)).toEqual(kept(done, 'third'))
  })

  it('deletes a few expired outcomes at a time, faster than new ones come, and no others', async () => {
    const { storage } = await open()
    const { idempotency } = storage
    const keep = (name: string, at: number) =>
      idempotency.keep(hashOf(name), kept(done, name), at, at + DAY_MS)
    /** Asked for a moment at which all of them were good, so that only forgotten ones are missing. */
    const left = async (prefix: string, count: number) => {
      const names = Array.from({ length: count }, (_, n) => `${prefix}${n}`)
      const found = await Promise.all(names.map((name) => idempotency.find(hashOf(name), AT)))
      return found.filter((one) => one !== undefined).length
    }
    for (let n = 0; n < 30; n += 1) await keep(`old${n}`, AT)
    await keep('new0', EXPIRES_AT)
    expect(await left('old', 30)).toBeGreaterThan(20)
    for (let n = 1; n < 15; n += 1) await keep(`new${n}`, EXPIRES_AT)
    expect(await left('old', 30)).toBe(0)
    expect(await left('new', 15)).toBe(15)
  })
}
