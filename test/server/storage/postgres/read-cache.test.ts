import { expect, it } from 'vitest'
import { createReadCache } from '../../../../server/storage/postgres/engine/read-cache.ts'

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
