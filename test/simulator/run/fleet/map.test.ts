import { describe, expect, it } from 'vitest'
import {
  captionOf,
  drawMap,
  type MapPlan,
  type MapSource,
  planMap,
} from '../../../../simulator/run/fleet/view/map/cells.ts'

/** Speakers by letter: `.` away, `o` silent, `s` speaking, `m` shows missed money, `M` shows it and is away. */
function fleet(letters: string): MapSource {
  const is = (those: string) => (index: number) => those.includes(letters[index] ?? ' ')
  return {
    speakers: letters.length,
    isConnected: is('osm'),
    isSpeaking: is('s'),
    showsMissed: is('mM'),
  }
}

const plan = (change: Partial<MapPlan>): MapPlan => ({
  ...{ style: 'marks', perCell: 1, spread: 1, cellsPerRow: 80, rows: 1 },
  ...change,
})

const textOf = (letters: string, of: MapPlan, beat = 0) =>
  drawMap(fleet(letters), of, beat).map((runs) => runs.map(({ text }) => text).join(''))

describe('the plan', () => {
  it.each([
    [200, { columns: 80, rows: 6 }, 'marks', 1, 2],
    [400, { columns: 80, rows: 6 }, 'marks', 1, 1],
    [1_000, { columns: 60, rows: 4 }, 'dots', 6, 1],
    [1_921, { columns: 60, rows: 4 }, 'bars', 9, 1],
    [20_000, { columns: 60, rows: 4 }, 'bars', 84, 1],
  ])('of %i speakers in %j is %s of %i', (speakers, area, style, perCell, spread) => {
    expect(planMap(speakers, area)).toMatchObject({ style, perCell, spread })
  })

  it('has room for every speaker and never more than its area', () => {
    for (const speakers of [1, 7, 63, 500, 2_000, 20_000])
      for (const columns of [2, 40, 61, 200])
        for (const rows of [1, 3, 10, 40]) {
          const found = planMap(speakers, { columns, rows })
          if (!found) throw new Error('there is room')
          expect(found.rows).toBeLessThanOrEqual(rows)
          expect(found.rows * found.cellsPerRow * found.perCell).toBeGreaterThanOrEqual(speakers)
          expect(found.cellsPerRow * found.spread).toBeLessThanOrEqual(columns)
        }
    expect(planMap(10, { columns: 80, rows: 0 })).toBeUndefined()
  })
})

it('draws a mark for each speaker, whose shape says what it does', () => {
  expect(textOf('.osmM', plan({}))).toEqual(['·○◎▲·'])
  expect(textOf('..oooo', plan({ cellsPerRow: 4, rows: 2 }))).toEqual(['··○○', '○○'])
  expect(textOf('oo', plan({ spread: 2 }))).toEqual(['○ ○ '])
})

it('ripples: a speaking mark changes with each beat, beside its neighbour', () => {
  const beats = [0, 1, 2, 3].map((beat) => textOf('ss', plan({}), beat)[0])
  expect(beats).toEqual(['●◉', '◉◎', '◎●', '●◉'])
  const crests = [0, 1].map((beat) => drawMap(fleet('s'), plan({}), beat)[0]?.[0]?.bold)
  expect(crests).toEqual([true, false])
})

it('draws a dot for each connected speaker of a cell, and none for one that is away', () => {
  const dots = plan({ style: 'dots', perCell: 8 })
  expect(textOf('oooooooo', dots)).toEqual(['⣿'])
  expect(textOf('o.......', dots)).toEqual(['⠁'])
  expect(textOf('.o......', dots)).toEqual(['⠈'])
  expect(textOf('........', dots)).toEqual(['·'])
})

it('draws the connected part of a cell as a bar, a whole one only for all', () => {
  const bars = plan({ style: 'bars', perCell: 10 })
  expect(textOf('oooooooooo', bars)).toEqual(['█'])
  expect(textOf('ooooooooo.', bars)).toEqual(['▇'])
  expect(textOf('.........o', bars)).toEqual(['▁'])
  expect(textOf('..........', bars)).toEqual(['·'])
})

it('lets the most urgent speaker decide how a cell looks, and joins neighbours that look the same', () => {
  const [runs = []] = drawMap(fleet('oosomsoooo..'), plan({ style: 'dots', perCell: 2 }), 0)
  expect(runs.map(({ look, text }) => [look, text.length])).toEqual([
    ['silent', 1],
    ['speaking', 1],
    ['missed', 1],
    ['silent', 2],
    ['away', 1],
  ])
})

it('says how many speakers a cell stands for, and counts them', () => {
  expect(captionOf(fleet('.ossm'), plan({ style: 'dots', perCell: 4 }), 60)).toBe(
    '⠛ is 4 speakers  1 silent  2 speak  1 missed  1 away',
  )
  expect(captionOf(fleet('.ossm'), plan({ style: 'bars', perCell: 40 }), 60)).toContain('█ is 40 speakers')
  expect(captionOf(fleet('.ossm'), plan({}), 60)).toBe('○ 1 silent  ● 2 speak  ▲ 1 missed  · 1 away')
})
