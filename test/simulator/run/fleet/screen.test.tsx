import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { renderToString } from 'ink'
import { cleanup, render } from 'ink-testing-library'
import { afterEach, expect, it } from 'vitest'
import { FleetApp } from '../../../../simulator/run/fleet/view/fleet-app.tsx'
import { DrawCost, refreshAfterMs } from '../../../../simulator/run/fleet/view/frames.ts'
import { Table } from '../../../../simulator/run/fleet/view/table.ts'
import { TableView } from '../../../../simulator/run/fleet/view/table-view.tsx'
import { styledLine } from '../../../../simulator/screen/drawing/styled.ts'
import { cellsOf } from '../../../../simulator/screen/drawing/text.ts'
import { themeOf } from '../../../../simulator/screen/drawing/theme.ts'
import type { SpeakerSnapshot } from '../../../../simulator/speaker/snapshot.ts'
import { settle } from '../../../support/clock.ts'
import { SIZES } from '../../screen/model.ts'
import { WoundClock } from '../../support/wound-clock.ts'
import { show } from './show.tsx'
import { standInRun } from './stand-in.ts'

afterEach(cleanup)

it('draws less often when a frame takes long, so that drawing takes a tenth of the time at most', async () => {
  const clock = new WoundClock()
  const run = standInRun(5, clock)
  const table = new Table(run, clock)
  const cost = Object.assign(new DrawCost(), { lastMs: 120 })
  const app = <FleetApp table={table} clock={clock} colour={false} tmux={undefined} cost={cost} />
  const { frames } = render(app)
  await settle()
  const framesIn = async (ms: number) => {
    const before = frames.length
    for (let passed = 0; passed < ms; passed += 100) {
      clock.wind(100)
      // Each frame differs: its time does.
      run.fleet.roster.on(0, { atMs: 0, kind: 'event', event: { event: 'played', n: 1 } })
      await settle()
    }
    return frames.length - before
  }
  await framesIn(2_000)
  expect(await framesIn(12_000)).toBeLessThanOrEqual(11)
})

it('draws four times a second when a frame costs little, and every two seconds at least', () => {
  expect([0, 20, 60, 150, 5_000].map(refreshAfterMs)).toEqual([250, 250, 600, 1_500, 2_000])
})

it('says that the hub is away, and shows no time to go and no speaker that is offline and ready', async () => {
  const clock = new WoundClock()
  const run = standInRun(50, clock, { pays: true })
  Object.assign(run, { durationMs: 600_000 })
  const { lines, wind } = await show(run, clock)
  expect(lines().join('\n')).toMatch(/Running 0:00 of 10:00, 10:00 to go/)
  expect(lines().find((line) => line.includes('FLEET-00001'))).toMatch(/● connected +ready/)
  const sinceMs = clock.now()
  for (const { index } of run.fleet.roster.rows)
    run.fleet.roster.on(index, { atMs: sinceMs, kind: 'event', event: { event: 'disconnected', reason: '' } })
  Object.assign(run, {
    away: { speakersSinceMs: sinceMs, apiSinceMs: sinceMs + 500, apiFailure: 'fetch failed' },
  })
  await wind(65_000)
  const since = new Date(sinceMs).toTimeString().slice(0, 8)
  expect(lines()[0]).toContain(
    `✕ HUB AWAY for 1:05, since ${since}: no speaker, no partner API (fetch failed)`,
  )
  expect(lines().join('\n')).not.toMatch(/to go|ready/)
  for (const line of lines().filter((one) => one.includes('FLEET-')))
    expect(line).toMatch(/✕ offline +no link/)
  expect(lines()).toHaveLength(SIZES[1].rows)
})

it('says of a ramp that gets no further when it ends, and not how long it takes', async () => {
  const clock = new WoundClock()
  const run = standInRun(50, clock)
  run.fleet.roster.on(3, { atMs: 0, kind: 'event', event: { event: 'refused', code: 5, reason: '' } })
  Object.assign(run, { phase: 'connecting', ramp: { end: undefined, stalledMs: 12_000, patienceMs: 60_000 } })
  const { lines, wind } = await show(run, clock)
  await wind(10_000)
  expect(lines().join('\n')).toMatch(/Connecting .*49\/50, no progress for 12 of 60 s/)
  Object.assign(run, { away: { speakersSinceMs: 0, apiSinceMs: undefined, apiFailure: '' } })
  await wind(300)
  expect(lines().join('\n')).toMatch(/Connecting .*49\/50, waits for the hub/)
})

it('shows missed money on the map until the speaker shows something else', async () => {
  const clock = new WoundClock()
  let screen: 'missed' | 'idle' = 'missed'
  const display = () =>
    screen === 'missed' ? { screen, count: 1, amount: '1' } : { screen, name: '', qr: '' }
  const run = standInRun(50, clock, { snapshot: () => ({ display: display() }) })
  const { lines, wind } = await show(run, clock)
  run.fleet.roster.on(4, { atMs: 0, kind: 'event', event: { event: 'missed', n: 9, count: 1, amount: '1' } })
  await wind(2_000)
  expect(lines().find((line) => line.includes('▲ 1 missed'))).toBeDefined()
  expect(lines().find((line) => line.startsWith('○ ○ ○ ○ ▲ ○'))).toBeDefined()
  screen = 'idle'
  await wind(2_000)
  expect(lines().find((line) => line.includes('▲ 0 missed'))).toBeDefined()
})

it('shows map and table, only the map, only the table', async () => {
  const clock = new WoundClock()
  const { lines, press } = await show(standInRun(1_000, clock), clock)
  const has = () => [
    lines().some((line) => line.includes('silent')),
    lines().some((line) => line.includes('FLEET-')),
  ]
  expect(has()).toEqual([true, true])
  await press('m')
  expect(has()).toEqual([true, false])
  expect(lines()).toHaveLength(SIZES[1].rows)
  await press('m')
  expect(has()).toEqual([false, true])
  await press('m')
  expect(has()).toEqual([true, true])
})

it.each([...SIZES, { columns: 200, rows: 60 }, { columns: 40, rows: 12 }])(
  'at $columns x $rows banner, digits, map and table fill the terminal, and no line is wider',
  async (size) => {
    const clock = new WoundClock()
    const run = standInRun(2_000, clock, { pays: true })
    const { lines, wind, press } = await show(run, clock, size)
    const check = () => {
      expect(lines()).toHaveLength(size.rows)
      for (const line of lines()) expect(cellsOf(line)).toBeLessThanOrEqual(size.columns)
      expect(lines().join('\n')).toMatch(/(?<!✓ )lost +doubled/)
    }
    check()
    Object.assign(run, { away: { speakersSinceMs: 0, apiSinceMs: 0, apiFailure: 'fetch failed' } })
    await wind(300)
    check()
    expect(lines()[0]).toContain('✕ HUB AWAY')
    await press('m')
    check()
    expect(lines().join('\n')).toContain('2000 silent')
    await press('m')
    check()
  },
)

it('draws nothing outside the terminal, at any size and whatever the speakers show', () => {
  const clock = new WoundClock()
  const states: Partial<SpeakerSnapshot>[] = [
    {},
    { display: { screen: 'payment', amount: '9999999999999' }, waiting: 12 },
    { display: { screen: 'missed', count: 999, amount: '1' }, battery: 3, signal: -113 },
    { link: 'offline', display: { screen: 'no_network', reason: 'x' } },
  ]
  const runs = [true, false].map((pays) => {
    const run = standInRun(300, clock, { pays, snapshot: (index) => states[index % states.length] ?? {} })
    for (const row of run.fleet.roster.rows) Object.assign(row, { shop: 'Cửa hàng '.repeat(row.index % 9) })
    return run
  })
  const given = fc.record({
    ...{
      run: fc.constantFrom(...runs),
      columns: fc.integer({ min: 40, max: 220 }),
      rows: fc.integer({ min: 12, max: 70 }),
    },
    keys: fc.array(fc.constantFrom('m', 's', '?', 'p', '/', 'x', 'r'), { maxLength: 6 }),
    colour: fc.constant(false),
  })
  fc.assert(
    fc.property(given, ({ run, columns, rows, keys, colour }) => {
      const table = new Table(run, clock)
      for (const key of keys) table.press(key, {})
      const model = table.model({ columns, rows }, colour)
      const lines = stripVTControlCharacters(renderToString(<TableView model={model} />, { columns })).split(
        '\n',
      )
      expect(lines.length).toBeLessThanOrEqual(rows)
      for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(columns)
    }),
    { numRuns: 12 },
  )
})

it.each([
  [{ display: { screen: 'payment', amount: '1' } }, 'good'],
  [{ sounding: { kind: 'sentence', n: 1, text: '', said: '', amount: '1' } }, 'good'],
  [{ display: { screen: 'missed', count: 1, amount: '1' } }, 'notice'],
  [{ battery: 12 }, 'notice'],
  [{ signal: -95 }, 'notice'],
  [{ waiting: 1 }, 'notice'],
  [{ faults: ['mute'] }, 'notice'],
  [{}, undefined],
] as const)('a row has a colour for what it says: %o', (change, meaning) => {
  const clock = new WoundClock()
  const run = standInRun(2, clock, { snapshot: (index) => (index === 1 ? change : {}) })
  const { lines } = new Table(run, clock).model({ columns: 200, rows: 30 }, true)
  const meaningsOf = (index: number) => lines[index]?.parts.slice(2).map((part) => part.meaning) ?? []
  const [marked, other] = [lines[0]?.parts.map((part) => part.meaning), meaningsOf(1)]
  // The marked row is inverse, and has no colours.
  expect(new Set(marked)).toEqual(new Set(['plain']))
  expect(other.filter((one) => one === 'good' || one === 'notice')).toEqual(
    meaning === undefined ? [] : expect.arrayContaining([meaning]),
  )
})

it('does not call a speaker ready that nobody can hear', () => {
  const clock = new WoundClock()
  const run = standInRun(2, clock, { snapshot: (index) => (index === 1 ? { faults: ['broken-audio'] } : {}) })
  const { lines } = new Table(run, clock).model({ columns: 200, rows: 30 }, true)
  const texts = lines.map(({ parts }) => parts.map(({ text }) => text).join(''))
  expect(texts).toEqual([expect.stringMatching(/\bready\b/), expect.stringMatching(/\bno sound\b/)])
})

it('styles the parts of a line by their meaning, and without colours by what is left', () => {
  const parts = [
    { text: 'a', meaning: 'good' },
    { text: 'b', meaning: 'notice', underline: true },
    { text: 'c', meaning: 'quiet' },
    { text: 'd', meaning: 'plain', bold: true },
  ] as const
  expect(styledLine(parts, themeOf(true))).toBe(
    '\u001b[32ma\u001b[39m\u001b[4m\u001b[35mb\u001b[39m\u001b[24m\u001b[2mc\u001b[22m\u001b[1md\u001b[22m',
  )
  expect(styledLine(parts, themeOf(false))).toBe(
    'a\u001b[4mb\u001b[24m\u001b[2mc\u001b[22m\u001b[1md\u001b[22m',
  )
})
