import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CSV_HEADER, csvLine, csvWriter } from '../../../../simulator/run/fleet/report/csv.ts'
import { figuresOfLine } from '../../../../simulator/run/fleet/report/figure-table.ts'
import { reportOf, summaryOf } from '../../../../simulator/run/fleet/report/figures.ts'
import { junitOf } from '../../../../simulator/run/fleet/report/junit.ts'
import { summaryLine } from '../../../../simulator/run/fleet/report/lines.ts'
import { serveMetrics } from '../../../../simulator/run/fleet/report/metrics.ts'
import { shortThreshold } from '../../../../simulator/run/fleet/report/thresholds.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { WoundClock } from '../../support/wound-clock.ts'
import { sentence, standInRun } from './stand-in.ts'

/** A run of three speakers with a payment that was heard, and one that was lost. */
function shortRun() {
  const clock = new WoundClock()
  const run = standInRun(3, clock, { pays: true })
  const ledger = run.pay?.ledger
  if (!ledger) throw new Error('it pays')
  ledger.sent('FT1', 0, '50000', clock.now())
  ledger.heard(0, sentence('50000', clock.now() + 250))
  ledger.unheard(ledger.sent('FT<2>', 1, '60000', clock.now()), 'lost', 'the hub says: played')
  Object.assign(run.pay?.shops ?? {}, { ready: Array(3).fill({}) })
  return { run, nowMs: clock.now() }
}

it('writes a test for each expectation as JUnit, and one for what every run must keep', () => {
  const { run, nowMs } = shortRun()
  const xml = junitOf(reportOf(run, nowMs, [shortThreshold('p99', 100)]))
  expect(xml).toMatch(/<testsuite name="fleet" tests="6" failures="2" errors="0" skipped="0"/)
  expect(xml).toContain('<testcase name="connected" classname="fleet"/>')
  expect(xml).toMatch(
    /name="p99" classname="fleet"><failure message="callback to speech took [^"]+ms or less" type="failed">/,
  )
  expect(xml).toMatch(/name="every payment has its outcome" .*\n?.*never heard/)
  expect(xml).toMatch(/<system-out>Not heard exactly once:\n {2}lost {7}FT&lt;2&gt; {2}FLEET-00002 /)
  const { run: good } = { run: standInRun(3, new WoundClock()) }
  expect(junitOf(reportOf(good, nowMs))).toMatch(/tests="2" failures="0"/)
})

it('writes each figure of a summary as a column', () => {
  const { run, nowMs } = shortRun()
  const file = join(temporaryFolder(), 'figures.csv')
  const write = csvWriter(file, () => {})
  const summary = summaryOf(run, nowMs)
  write(summary)
  write(summary)
  const [header = '', first = '', second, rest] = readFileSync(file, 'utf8').split('\r\n')
  expect([`${header}\r\n`, `${first}\r\n`, second, rest]).toEqual([CSV_HEADER, csvLine(summary), first, ''])
  const row = Object.fromEntries(header.split(',').map((name, index) => [name, first.split(',')[index]]))
  expect(row).toMatchObject({
    ...{ phase: 'running', speakers: '3', 'links.connected': '3', heardOnce: '1', lost: '1' },
    ...{ 'shops.ready': '3', 'speechMs.max': '250', 'answerMs.p50': '' },
  })
  expect(header.split(',')).toHaveLength(first.split(',').length)
})

it('complains once when the file can not be written any more', () => {
  const complaints: string[] = []
  const write = csvWriter(join(temporaryFolder(), 'none', 'figures.csv'), (sentence) =>
    complaints.push(sentence),
  )
  const { run, nowMs } = shortRun()
  write(summaryOf(run, nowMs))
  expect(complaints).toEqual([
    expect.stringMatching(/^--csv: .*figures\.csv can't be written any more: ENOENT/),
  ])
})

it('serves each figure of a summary to Prometheus', async () => {
  const { run, nowMs } = shortRun()
  const served = await serveMetrics({ host: '127.0.0.1', port: 0 }, () => summaryOf(run, nowMs))
  onTestFinished(() => served.close())
  const answer = await fetch(served.url)
  expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const text = await answer.text()
  expect(text).toContain('# TYPE soundbox_fleet_heard_once gauge\nsoundbox_fleet_heard_once 1\n')
  for (const line of [
    ...['soundbox_fleet_links{state="connected"} 3', 'soundbox_fleet_speech_seconds{quantile="1"} 0.25'],
    ...[
      'soundbox_fleet_speech_seconds_count 1',
      'soundbox_fleet_shops_ready 3',
      'soundbox_fleet_away_seconds 0',
    ],
    ...['soundbox_fleet_payments_per_second 20', 'soundbox_fleet_elapsed_seconds 0'],
  ])
    expect(text.split('\n')).toContain(line)
  // What was not measured is left out.
  expect(text).not.toMatch(/^soundbox_fleet_(answer_seconds\{|ramp_seconds)/m)
  expect(text).toContain('\nsoundbox_fleet_answer_seconds_count 0\n')
  expect(text).not.toMatch(/^# HELP (\w+) \1$/m)
  expect((await fetch(served.url.replace('/metrics', '/'))).status).toBe(404)
  const { port } = new URL(served.url)
  await expect(
    serveMetrics({ host: '127.0.0.1', port: Number(port) }, () => summaryOf(run, nowMs)),
  ).rejects.toThrow(`--metrics: nothing can listen on 127.0.0.1:${port}: `)
})

it('every figure has a name of its own, and a meaning', () => {
  const figures = figuresOfLine(summaryLine)
  expect(new Set(figures.map(({ name }) => name)).size).toBe(figures.length)
  expect(figures.length).toBeGreaterThan(70)
  expect(figures.filter(({ about }) => about === '')).toEqual([])
})
