import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COLUMN_IDS, columnsFor, GAP, MARK } from '../../../../simulator/run/fleet/view/columns.ts'
import { type OrderBy, orderOf } from '../../../../simulator/run/fleet/view/order.ts'
import {
  act,
  FIRST_TABLE,
  positionOf,
  type TableState,
  topOf,
} from '../../../../simulator/run/fleet/view/state.ts'
import { WoundClock } from '../../support/wound-clock.ts'
import { standInRun } from './stand-in.ts'

const BY_SERIAL: OrderBy = { sort: 'serial', reversed: false, filter: '', problemsOnly: false }

function fleetOf(count: number) {
  const { fleet, looks } = standInRun(count, new WoundClock(), {
    snapshot: (index) => ({ waiting: index % 3, battery: 100 - index }),
  })
  const order = (by: Partial<OrderBy>) => orderOf(fleet.roster.rows, fleet.speakers, { ...BY_SERIAL, ...by })
  return { fleet, looks, order }
}

describe('the order of the table', () => {
  it('follows the column’s values, in either direction, and the fleet’s order for equal values', () => {
    const { fleet, order } = fleetOf(6)
    for (const [index, amount] of ['9000', '10000', '', '10000', '500', ''].entries())
      Object.assign(fleet.roster.rows[index] ?? {}, { lastAmount: amount })
    expect(order({ sort: 'amount' })).toEqual([2, 5, 4, 0, 1, 3])
    expect(order({ sort: 'amount', reversed: true })).toEqual([1, 3, 0, 4, 2, 5])
    expect(order({ sort: 'waiting' })).toEqual([0, 3, 1, 4, 2, 5])
    expect(order({ sort: 'battery' })).toEqual([5, 4, 3, 2, 1, 0])
  })

  it('reads the speakers themselves only for columns that need it', () => {
    const { looks, order } = fleetOf(4)
    for (const sort of ['serial', 'link', 'amount', 'played', 'speech', 'connect', 'shop'] as const)
      order({ sort })
    expect(looks.size).toBe(0)
    order({ sort: 'waiting' })
    expect([...looks.values()]).toEqual([1, 1, 1, 1])
  })

  it('contains only speakers whose serial, shop or state contains the filter, in any case', () => {
    const { fleet, order } = fleetOf(12)
    Object.assign(fleet.roster.rows[3] ?? {}, { shop: 'Bún Chả Hồ Tây' })
    Object.assign(fleet.roster.rows[5] ?? {}, { link: 'offline' })
    expect(order({ filter: 'bún CHẢ' })).toEqual([3])
    expect(order({ filter: 'fleet-0001' })).toEqual([9, 10, 11])
    expect(order({ filter: 'offline' })).toEqual([5])
    expect(order({ problemsOnly: true })).toEqual([5])
    expect(order({ problemsOnly: true, filter: '00001' })).toEqual([])
  })

  it('sorts the worst link states first', () => {
    const { fleet, order } = fleetOf(4)
    for (const [index, link] of ['connected', 'connecting', 'refused', 'offline'].entries())
      Object.assign(fleet.roster.rows[index] ?? {}, { link })
    expect(order({ sort: 'link' })).toEqual([2, 3, 1, 0])
  })
})

describe('the columns', () => {
  it('fit every width, and always include the sorted one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 200 }), fc.constantFrom(...COLUMN_IDS), (width, sort) => {
        const shown = columnsFor(width, sort)
        expect(shown.map(({ id }) => id)).toContain(sort)
        const needed = MARK - GAP + shown.reduce((sum, column) => sum + column.width + GAP, 0)
        expect(needed).toBeLessThanOrEqual(width)
      }),
    )
    expect(columnsFor(200, 'serial').map(({ id }) => id)).toEqual(COLUMN_IDS)
  })
})

describe('the selected row', () => {
  const order = Array.from({ length: 100 }, (_, index) => 99 - index)
  const place = { order, rows: 10 }

  it('moves by row, page and to both ends, and stays in the table', () => {
    const marks: number[] = []
    let state: TableState = FIRST_TABLE
    for (const to of ['up', 'down', 'down', 'page_down', 'last', 'down', 'page_up', 'up', 'first'] as const) {
      state = act(state, { do: 'move', to }, place)
      marks.push(positionOf(state, place))
    }
    expect(marks).toEqual([0, 1, 2, 12, 99, 99, 89, 88, 0])
  })

  it('stays on its speaker when the order changes, and is always visible', () => {
    const moves = fc.array(fc.constantFrom('up', 'down', 'page_up', 'page_down', 'first', 'last'), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(moves, fc.integer({ min: 1, max: 30 }), (all, rows) => {
        let state: TableState = FIRST_TABLE
        for (const to of all) state = act(state, { do: 'move', to }, { order, rows })
        const turned = { order: [...order].reverse(), rows }
        if (state.selected !== undefined) expect(turned.order[positionOf(state, turned)]).toBe(state.selected)
        for (const now of [{ order, rows }, turned]) {
          const below = positionOf(state, now) - topOf(state, now)
          expect(below).toBeGreaterThanOrEqual(0)
          expect(below).toBeLessThan(rows)
        }
      }),
    )
  })

  it('is the first row when its speaker leaves the table', () => {
    const state = { ...FIRST_TABLE, selected: 42, top: 50 }
    expect(positionOf(state, { order: [1, 2, 3], rows: 10 })).toBe(0)
    expect(topOf(state, { order: [1, 2, 3], rows: 10 })).toBe(0)
    expect(topOf(state, { order: [], rows: 10 })).toBe(0)
  })
})
