import { expect, it } from 'vitest'
import { createReadCache, trustedFor } from '../../../../server/storage/shared/read-cache.ts'

/** A database with one row under a revision. */
function openRow() {
  const row = { revision: 1, value: 'first', reads: 0 }
  const cached = createReadCache(async () => row.revision)<{ value: string }>()
  const read = async () => {
    row.reads += 1
    return { value: row.value }
  }
  return { row, read, get: () => cached('key', read), cached }
}

function change(row: ReturnType<typeof openRow>['row'], value: string) {
  Object.assign(row, { value, revision: row.revision + 1 })
}

it('reads once while the revision stays the same, and again behind a change', async () => {
  const { row, get } = openRow()
  expect([await get(), await get()]).toEqual([{ value: 'first' }, { value: 'first' }])
  expect(row.reads).toBe(1)
  change(row, 'second')
  expect(await get()).toEqual({ value: 'second' })
})

it('does not keep what is not there', async () => {
  const { cached, get } = openRow()
  expect(await cached('key', async () => undefined)).toBeUndefined()
  expect(await get()).toEqual({ value: 'first' })
})

it('does not keep an answer from before a change that was seen meanwhile', async () => {
  const { row, read, get, cached } = openRow()
  const begun = Promise.withResolvers<void>()
  const late = Promise.withResolvers<void>()
  const old = cached('key', async () => {
    const found = await read()
    begun.resolve()
    await late.promise
    return found
  })
  await begun.promise
  change(row, 'second')
  await cached('another', read)
  late.resolve()
  expect(await old).toEqual({ value: 'first' })
  expect(await get()).toEqual({ value: 'second' })
})

it('keeps the kinds of reads apart, and clears all of them', async () => {
  let revision = 1
  const cache = createReadCache(async () => revision)
  const [ones, twos] = [cache<string[]>(), cache<string[]>()]
  const get = async (one: string, two: string) => [
    await ones('key', async () => [one]),
    await twos('key', async () => [two]),
  ]
  expect(await get('one', 'two')).toEqual([['one'], ['two']])
  expect(await get('of', 'no use')).toEqual([['one'], ['two']])
  revision = 2
  expect(await get('three', 'four')).toEqual([['three'], ['four']])
})

it('looks at the revision when the last look is no longer trusted, and not earlier', async () => {
  let [revision, now, looks] = [1, 0, 0]
  const read = async () => {
    looks += 1
    return revision
  }
  const trusted = trustedFor(1, read, () => now)
  expect(await trusted.look()).toBe(1)
  revision = 2
  now = 0.9
  expect([await trusted.look(), looks]).toEqual([1, 1])
  now = 1
  expect([await trusted.look(), await trusted.look(), looks]).toEqual([2, 2, 2])
  revision = 3
  trusted.forget()
  expect([await trusted.look(), await trusted.look(), looks]).toEqual([3, 3, 3])
})
