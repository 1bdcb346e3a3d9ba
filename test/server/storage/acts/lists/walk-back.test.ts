import { describe, expect, it } from 'vitest'
import { type PageRequest, readPages } from '../../../../../server/platform/page.ts'
import { type Act, carryOut } from '../../../../../server/storage/acts/act.ts'
import {
  nextRows,
  placed,
  type Window,
  walkBack,
} from '../../../../../server/storage/acts/lists/walk-back.ts'

/** Carries out an act that reads of a database only which the highest number of a range is. */
const carriedOut = <T>(numbers: readonly number[], act: Act<T>) =>
  carryOut(act, ({ values: [least, top] }) => {
    const inside = numbers.filter((one) => one >= Number(least) && one < Number(top))
    return [{ number: inside.length === 0 ? null : Math.max(...inside) }]
  })
const choose = nextRows('rows', 1_024)

/** A table with these numbers, of which those match that pass the filter. */
function table(numbers: number[], matches: (rowId: number) => boolean = () => true) {
  const windows: Window[] = []
  const bounds = { least: Math.min(...numbers), below: Math.max(...numbers) + 1 }
  function* rowsIn(window: Window) {
    yield* []
    windows.push(window)
    const inside = numbers.filter((one) => one >= window.from && one < window.below && matches(one))
    return inside
      .sort((a, b) => b - a)
      .slice(0, window.limit)
      .map((rowId) => ({ rowId }))
  }
  const read = async (page: PageRequest) =>
    placed(carriedOut(numbers, walkBack(page, bounds, rowsIn, choose)), ({ rowId }) => ({ rowId }))
  return { read, windows }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('a walk back', () => {
  it('looks at no more numbers in one read than it chooses, and finds what lies further back', async () => {
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

  it('leaps over numbers that no row has', async () => {
    const { read, windows } = table([1, 2, 10_000_000_000, 10_000_000_001])
    const found = await readPages(read, { limit: 10 })
    expect(found.rows.map(({ rowId }) => rowId)).toEqual([10_000_000_001, 10_000_000_000, 2, 1])
    expect(windows).toHaveLength(2)
  })

  it('ends at an empty table and below the last row', async () => {
    const { read } = table([7])
    function* noRows() {
      yield* []
      return []
    }
    expect(carriedOut([], walkBack({ limit: 5 }, { least: 0, below: 1 }, noRows, choose))).toEqual({
      rows: [],
      next: undefined,
    })
    expect(await read({ limit: 5, after: '7' })).toEqual({ rows: [], next: undefined })
    expect(await read({ limit: 5, after: '3' })).toEqual({ rows: [], next: undefined })
  })
})
