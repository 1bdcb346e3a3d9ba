import { cleanup } from 'ink-testing-library'
import { afterEach, describe, expect, it } from 'vitest'
import { COLUMN_IDS, COLUMNS, columnsFor } from '../../../../../simulator/run/fleet/view/columns.ts'
import { FLEET_KEYS } from '../../../../../simulator/run/fleet/view/keys.ts'
import { sparkline } from '../../../../../simulator/screen/drawing/bars.ts'
import { show } from '../../../../simulator/run/fleet/show.tsx'
import { sentence, standInRun } from '../../../../simulator/run/fleet/stand-in.ts'
import { SIZES } from '../../../../simulator/screen/model.ts'
import { WoundClock } from '../../../../simulator/support/wound-clock.ts'
import { eventually } from '../../../../support/wait.ts'

afterEach(cleanup)

const KEY = {
  up: '\u001b[A',
  down: '\u001b[B',
  pageDown: '\u001b[6~',
  end: '\u001b[F',
  enter: '\r',
  esc: '\u001b',
}

describe.each(SIZES)('at $columns x $rows', (size) => {
  it('the table fills the terminal and no line is wider', async () => {
    const clock = new WoundClock()
    const run = standInRun(1_000, clock, { pays: true })
    const { lines } = await show(run, clock, size)
    expect(lines()).toHaveLength(size.rows)
    for (const line of lines()) expect([...line].length).toBeLessThanOrEqual(size.columns)
    expect(lines()[0]).toMatch(/^1000\b.*● 1000 connected +○ 0 connecting +✕ 0 offline$/)
    expect(lines().filter((line) => line.includes('FLEET-')).length).toBeGreaterThanOrEqual(size.rows / 3)
    // Lost and doubled: a large 0 for each.
    expect(lines()[1]).toMatch(/^lost +doubled /)
    expect(lines()[2]).toMatch(/^█▀+█ +█▀+█ /)
    expect(lines().at(-1)).toMatch(/^q quit · \? (help|more keys)/)
    expect(lines().at(-2)).toMatch(/1–\d+ of 1000/)
  })

  it('the help names every key', async () => {
    const clock = new WoundClock()
    const { lines, press } = await show(standInRun(5, clock), clock, size)
    await press('?')
    for (const { key, help } of FLEET_KEYS)
      expect(lines().some((line) => line.startsWith(key) && line.includes(help.slice(0, 20)))).toBe(true)
    await press('?')
    expect(lines().some((line) => line.includes('FLEET-00001'))).toBe(true)
  })
})

it('only visible rows are read', async () => {
  const clock = new WoundClock()
  const run = standInRun(500, clock)
  const { press, wind } = await show(run, clock)
  await press(KEY.end)
  await wind(3_000)
  expect(run.looks.size).toBeLessThanOrEqual(2 * 24)
})

it('shows the complete help in the smallest terminal, without the figures', async () => {
  const clock = new WoundClock()
  const { lines, press } = await show(standInRun(5, clock), clock, { columns: 40, rows: 12 })
  await press('?')
  for (const { key } of FLEET_KEYS) expect(lines().some((line) => line.startsWith(key))).toBe(true)
})

it('draws at most ten times a second, for any number of events and keys', async () => {
  const clock = new WoundClock()
  const run = standInRun(200, clock)
  const { frames, stdin, wind } = await show(run, clock)
  await wind(1_000)
  const before = frames.length
  for (let moment = 0; moment < 100; moment += 1) {
    for (let index = 0; index < 200; index += 1)
      run.fleet.roster.on(index, {
        atMs: clock.now(),
        kind: 'event',
        event: { event: 'played', n: 1 },
      })
    stdin.write(KEY.down)
    await wind(10)
  }
  const drawn = frames.length - before
  expect(drawn).toBeLessThanOrEqual(10)
  expect(drawn).toBeGreaterThanOrEqual(9)
  expect(run.fleet.roster.totals.played).toBe(20_000)
})

it('sorts, reverses, filters, and shows only problems', async () => {
  const clock = new WoundClock()
  const run = standInRun(50, clock)
  run.fleet.roster.on(7, { atMs: 0, kind: 'event', event: { event: 'disconnected', reason: '' } })
  const { lines, press } = await show(run, clock)
  const serials = () => lines().flatMap((line) => /FLEET-\d+/.exec(line)?.[0] ?? [])
  await press('s')
  expect(serials()[0]).toBe('FLEET-00008')
  expect(lines().find((line) => line.includes('link▲'))).toBeDefined()
  await press('r')
  expect(serials()).not.toContain('FLEET-00008')
  // Fast key presses arrive together.
  await press('ssSS')
  expect(lines().find((line) => line.includes('link▼'))).toBeDefined()
  await press('S')
  expect(serials()[0]).toBe('FLEET-00050')
  await press('r', 'p')
  expect(serials()).toEqual(['FLEET-00008'])
  expect(lines().at(-2)).toContain('only problems')
  await press('p', '/', '-0004', KEY.enter)
  expect(serials()).toEqual(Array.from({ length: 10 }, (_, n) => `FLEET-0004${n}`))
  expect(lines().at(-2)).toContain('1–10 of 10 (50 in all) · with “-0004”')
})

it('opens the selected speaker and returns, and treats the letters of a filter as text', async () => {
  const clock = new WoundClock()
  const run = standInRun(50, clock)
  const { lines, press, lastFrame } = await show(run, clock, SIZES[2])
  await press(KEY.down, KEY.down, KEY.enter)
  expect(lastFrame()).toContain('FLEET-00003')
  expect(lastFrame()).not.toContain('FLEET-00004')
  await press('q')
  expect(lastFrame()).toContain('FLEET-00004')
  expect(lines().find((line) => line.startsWith('›'))).toContain('FLEET-00003')
  await press('/', 'q', 'r')
  expect(lines().at(-1)).toContain('/qr▏')
  expect(run.ends).toBe(0)
})

it('passes an immediate key to the opened speaker before it is drawn', async () => {
  const clock = new WoundClock()
  const run = standInRun(50, clock)
  const { press, lastFrame } = await show(run, clock, SIZES[2])
  await press(KEY.enter, 'q')
  expect(run.ends).toBe(0)
  expect(lastFrame()).not.toContain('FLEET-00002')
})

it('undoes one thing at a time with Esc', async () => {
  const clock = new WoundClock()
  const { lines, press, stdin, wind } = await show(standInRun(50, clock), clock, SIZES[2])
  /** A short pause distinguishes a lone escape from the start of a sequence. */
  const pressEscape = async (seen: () => void) => {
    stdin.write(KEY.esc)
    await eventually(async () => {
      await wind(200)
      seen()
    })
  }
  await press('/', '-0004', KEY.enter, KEY.enter)
  expect(lines().join()).not.toContain('FLEET-00041')
  await pressEscape(() => expect(lines().join()).toContain('FLEET-00041'))
  expect(lines().join()).not.toContain('FLEET-00001')
  await pressEscape(() => expect(lines().join()).toContain('FLEET-00001'))
})

it('ends the run with q, and with Ctrl+C while a filter is typed', async () => {
  const clock = new WoundClock()
  const run = standInRun(5, clock)
  const { press } = await show(run, clock)
  await press('q')
  await press('/', '\u0003')
  expect(run.ends).toBe(2)
})

it('shows the payments, with a sign when one was lost or heard twice', async () => {
  const clock = new WoundClock()
  const run = standInRun(5, clock, { pays: true })
  const { lines, wind } = await show(run, clock)
  run.pay?.ledger.answered(run.pay.ledger.sent('FT1', 1, '50000', clock.now()), clock.now() + 12)
  run.pay?.ledger.heard(1, sentence('50000', clock.now() + 48))
  await wind(300)
  const text = () => lines().join('\n')
  expect(text()).toContain('1 of 1 paid')
  expect(text()).toContain('1 heard · 0 missed · 0 open')
  expect(lines().find((line) => line.includes(' speech '))).toContain('p50 48 ms')
  expect(lines()[1]).toMatch(/^lost +doubled/)
  run.pay?.ledger.heard(1, sentence('50000', clock.now()))
  await wind(300)
  expect(lines()[1]).toMatch(/^lost +✕ doubled/)
  // Not answered is not lost.
  run.pay?.ledger.unheard(run.pay.ledger.sent('FT2', 2, '50000', clock.now()), 'unanswered')
  await wind(300)
  expect(lines()[1]).toMatch(/^lost/)
  expect(text()).toContain('! 1 heard · 0 missed · 0 open · 1 never answered')
  expect(
    lines()
      .slice(2, 5)
      .map((line) => line.slice(8, 11)),
  ).toEqual(['▄█ ', ' █ ', '▀▀▀'])
})

it('changes the rate of the payments by keys, and says it with the stage', async () => {
  const clock = new WoundClock()
  const run = standInRun(5, clock, { pays: true })
  const asked: string[] = []
  const stage = { number: 2, passedMs: 0, stage: { name: 'spike', from: 40, to: 40, ms: 1_000 } }
  Object.assign(run.pay?.processor ?? {}, {
    ...{ throttle: (how: string) => asked.push(how), perSecond: 40, stage, stages: [stage, stage, stage] },
  })
  const { lines, press } = await show(run, clock)
  await press('+', '-', ' ')
  expect(asked).toEqual(['faster', 'slower', 'pause'])
  expect(lines().join()).toContain(' · 40 payments/s · spike 2/3')
})

it('draws a sparkline in which 0 differs from a small count', () => {
  expect(sparkline([0, 1, 50, 100])).toBe('▁▂▅█')
  expect(sparkline([0, 0])).toBe('▁▁')
})

it('gives the names of shops the room that is left', () => {
  const shopIn = (columns: number) => columnsFor(columns, 'serial').find(({ id }) => id === 'shop')?.width
  expect([shopIn(115), shopIn(160), shopIn(220)]).toEqual([16, 33, 48])
})

it.each(COLUMN_IDS)('shows the whole title of column %s beside its arrow', (id) => {
  const { title } = COLUMNS[id]
  const column = columnsFor(60, id).find((one) => one.id === id)
  expect(column?.width).toBeGreaterThan(title.length)
})
