import { describe, expect, it } from 'vitest'
import { type PageRequest, readPages } from '../../../../server/platform/page.ts'
import {
  halving,
  numbersBetween,
  placed,
  type Window,
  walkBack,
} from '../../../../server/storage/shared/walk-back.ts'

const MINUTE_MS = 60_000

/** A table with these numbers, of which those match that pass the filter. */
function table(numbers: number[], matches: (rowId: number) => boolean = () => true) {
  const windows: Window[] = []
  const bounds = { least: Math.min(...numbers), below: Math.max(...numbers) + 1 }
  const read = async (page: PageRequest) => {
    const found = await walkBack(page, bounds, (window) => {
      windows.push(window)
      const inside = numbers.filter((one) => one >= window.from && one < window.below && matches(one))
      return inside
        .sort((a, b) => b - a)
        .slice(0, window.limit)
        .map((rowId) => ({ rowId }))
    })
    return placed(found, ({ rowId }) => ({ rowId }))
  }
  return { read, windows }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('a walk back', () => {
  it('looks at no more than 1,024 numbers in one read, and finds what lies further back', async () => {
    const { read, windows } = table(upTo(12_000), (one) => one === 3)
    expect(await read({ limit: 10 })).toEqual({ rows: [], next: '10977' })
    const found = await readPages(read, { limit: 10 })
    expect(found).toEqual({ rows: [{ rowId: 3, cursor: '3' }], next: undefined })
    expect(Math.max(...windows.map(({ from, below }) => below - from))).toBe(1_024)
  })

  it.each([1, 2, 3, 7, 10, 11])('gives each row once in pages of %i', async (limit) => {
    const { read } = table([2, 3, 5, 8, 9, 10, 4_000, 9_999, 20_000, 20_001])
    const all: number[] = []
    let after: string | undefined
    do {
      const page = await readPages(read, { limit, after })
      expect(page.rows.length).toBeLessThanOrEqual(limit)
      all.push(...page.rows.map(({ rowId }) => rowId))
      after = page.next
    } while (after !== undefined)
    expect(all).toEqual([20_001, 20_000, 9_999, 4_000, 10, 9, 8, 5, 3, 2])
  })

  it('ends at an empty table and below the last row', async () => {
    expect(await walkBack({ limit: 5 }, { least: 0, below: 1 }, () => [])).toEqual({
      rows: [],
      next: undefined,
    })
    expect(await table([7]).read({ limit: 5, after: '7' })).toEqual({ rows: [], next: undefined })
    expect(await table([7]).read({ limit: 5, after: '3' })).toEqual({ rows: [], next: undefined })
  })
})

describe('the numbers between two instants', () => {
  const ENDS = { lowest: 100, highest: 10_000 }
  /** Row n was received n minutes after the start; rows below 100 were deleted. */
  const first = (number: number) => {
    const rowId = Math.max(number, 100)
    return rowId <= 10_000 ? { rowId, at: rowId * MINUTE_MS } : undefined
  }

  it.each([
    [{}, { least: 100, below: 10_001 }],
    [{ from: 500 * MINUTE_MS }, { least: 490, below: 10_001 }],
    [{ until: 500 * MINUTE_MS }, { least: 100, below: 510 }],
    [
      { from: 0, until: 50 * MINUTE_MS },
      { least: 100, below: 0 },
    ],
    [{ from: 20_000 * MINUTE_MS }, { least: 10_001, below: 10_001 }],
  ])('%o are %o: ten minutes more, for rows out of order', async (between, bounds) => {
    expect(await numbersBetween(between, ENDS, halving(first))).toEqual(bounds)
  })

  it('asks for few rows', async () => {
    let asked = 0
    const counted = halving((number) => {
      asked += 1
      return first(number)
    })
    await numbersBetween({ from: 5_000 * MINUTE_MS }, ENDS, counted)
    expect(asked).toBeLessThan(20)
  })
})
