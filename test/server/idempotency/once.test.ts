import { describe, expect, it } from 'vitest'
import { NO_LOCKS } from '../../../server/cluster/locks.ts'
import { type Ended, once } from '../../../server/idempotency/once.ts'
import type { IdempotencyRecords, Outcome } from '../../../server/idempotency/ports.ts'
import { createLog } from '../../../server/platform/log.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'
import { openTestStorage } from '../../support/storage.ts'
import { hashOf } from '../storage/shop.ts'

const done = (body: string): Outcome => ({ kind: 'done', status: 200, body })
const final = (body: string): Ended => ({ outcome: done(body), final: true })
const momentary: Ended = {
  outcome: { kind: 'refused', error: 'DEVICE_NOT_RESPONDING', details: [], retryAfterS: undefined },
  final: false,
}

function world(change: Partial<IdempotencyRecords> = {}) {
  const { storage } = openTestStorage()
  const clock = createVirtualClock()
  const lines: string[] = []
  const log = createLog('trace', { write: (line) => void lines.push(line) })
  const idempotency = { ...storage.idempotency, ...change }
  const perform = once({ idempotency, locks: NO_LOCKS, clock, log })
  const acts: string[] = []
  /** Asks for the act of that name under the one key; the act ends as told. */
  const ask = (name: string, ended: () => Ended | Promise<Ended> = () => final(name), key = 'key') =>
    perform('sbc_1', key, hashOf(name), async () => {
      acts.push(name)
      return ended()
    })
  return { clock, lines, perform, acts, ask }
}

describe('another request', () => {
  it('that comes at the same time waits its turn', async () => {
    const { acts, ask } = world()
    let end: (ended: Ended) => void = () => undefined
    const first = ask('a', () => new Promise<Ended>((resolve) => (end = resolve)))
    const second = ask('b')
    await settle()
    expect(acts).toEqual(['a'])
    end(final('a'))
    await first
    await expect(second).rejects.toMatchObject({ kind: 'IDEMPOTENCY_KEY_REUSED' })
    expect(acts).toEqual(['a'])
  })

  it('may have the key when the first came to nothing', async () => {
    const { acts, ask } = world()
    const both = await Promise.all([ask('a', () => momentary), ask('b')])
    expect(both.map(({ replayed }) => replayed)).toEqual([false, false])
    expect(acts).toEqual(['a', 'b'])
  })
})

describe('when something breaks', () => {
  it('hands what the act threw to all that waited for it, and frees the key', async () => {
    const { ask } = world()
    const broken = () => Promise.reject(new Error('broken'))
    const all = await Promise.allSettled([ask('a', broken), ask('a', broken), ask('b')])
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  })

  it('answers although the outcome could not be stored, and logs the failure', async () => {
    const { lines, acts, ask } = world({ keep: () => Promise.reject(new Error('disk full')) })
    expect(await ask('a')).toEqual({ outcome: done('a'), replayed: false })
    expect(lines.join()).toContain('could not be stored')
    await ask('a')
    expect(acts).toEqual(['a', 'a'])
  })

  it('does nothing when it can not look the key up', async () => {
    const { acts, ask } = world({ find: () => Promise.reject(new Error('unreadable')) })
    await expect(ask('a')).rejects.toThrow('unreadable')
    expect(acts).toEqual([])
  })
})
