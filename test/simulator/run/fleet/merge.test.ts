import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hostOf } from '../../../../simulator/platform/host.ts'
import { runMerge } from '../../../../simulator/run/fleet/merge/command.ts'
import { mergeReports } from '../../../../simulator/run/fleet/merge/merge.ts'
import { reportOf } from '../../../../simulator/run/fleet/report/figures.ts'
import type { Report } from '../../../../simulator/run/fleet/report/lines.ts'
import { shortThreshold } from '../../../../simulator/run/fleet/report/thresholds.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { FLEET_SCHEMA_TEXT, headlessValidator } from '../../support/headless-validator.ts'
import { WoundClock } from '../../support/wound-clock.ts'
import { sentence, standInRun } from './stand-in.ts'

/** The report of a fleet whose payments were heard after so many milliseconds, and some missed. */
function reportWith(speakers: number, times: readonly number[], missed = 0): Report {
  const clock = new WoundClock()
  const run = standInRun(speakers, clock, { pays: true })
  const { ledger, shops } = run.pay ?? {}
  if (!ledger || !shops) throw new Error('it pays')
  for (const [index, ms] of times.entries()) {
    ledger.answered(ledger.sent(`FT${index}`, 0, `${index + 1}000`, clock.now()), clock.now())
    ledger.heard(0, sentence(`${index + 1}000`, clock.now() + ms))
  }
  for (let index = 0; index < missed; index += 1)
    ledger.unheard(ledger.sent(`FT-M${index}`, 1, `${index + 1}000`, clock.now()), 'missed')
  Object.assign(shops, { ready: Array(speakers).fill({}) })
  return reportOf(run, clock.now())
}

const part = (report: Report, file = 'part.json') => ({ file, report })

it('is the report of one fleet with all speakers and payments', () => {
  const [few, many] = [Array.from({ length: 99 }, (_, n) => n + 1), [10_000]]
  const merged = mergeReports([part(reportWith(2, few)), part(reportWith(3, many))], [])
  const { at: _, ...whole } = reportWith(5, [...few, ...many])
  expect(merged).toMatchObject(whole)
  expect(merged.pay?.speechMs).toMatchObject({ count: 100, max: 10_000 })
  expect(headlessValidator(FLEET_SCHEMA_TEXT)(merged)).toBe(true)
})

it('is judged anew, names the failures of all, and keeps what no run may have', () => {
  const broken = reportWith(2, [5])
  const twice = { ...broken, problems: ['1 payments were heard more than once'], ok: false }
  const parts = [part(reportWith(2, [5], 1)), part(twice, 'b.json')]
  const merged = mergeReports(parts, [])
  expect(merged.problems).toEqual([
    '1 of 3 payments were missed (33.4 %); --expect-missed is 0 % or less',
    'b.json: 1 payments were heard more than once',
  ])
  expect(merged.failures?.map(({ ftCode }) => ftCode)).toEqual(['FT-M0'])
  const idle = reportWith(1, [])
  expect(idle.problems).toContainEqual(expect.stringMatching(/^no payment was made/))
  expect(mergeReports([part(idle), part(reportWith(1, [5]))], []).problems).toEqual([])
  expect(mergeReports([part(idle)], []).problems).toContainEqual(
    expect.stringMatching(/: no payment was made/),
  )
  const allowed = mergeReports(parts.slice(0, 1), [shortThreshold('missed', 50)])
  expect(allowed).toMatchObject({ ok: true, problems: [] })
})

it('reads files of reports, and whole outputs of fleets, and says which file is none', () => {
  const folder = temporaryFolder()
  const file = (name: string, ...lines: object[]) => {
    const path = join(folder, name)
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return path
  }
  const written: string[] = []
  const { stdout, ...host } = hostOf(process)
  const output = Object.assign(Object.create(stdout), { write: (text: string) => written.push(text) })
  const merge = (...files: string[]) => {
    const outputs = { reportFile: join(folder, 'all.json'), junitFile: join(folder, 'all.xml') }
    return runMerge({ files, thresholds: [], headless: true, ...outputs }, { ...host, stdout: output })
  }
  const report = reportWith(1, [5])
  const good = file('a.json', report)
  const lines = file('b.jsonl', { event: 'summary' }, report)
  expect(merge(good, lines)).toBe(0)
  expect(JSON.parse(written.join(''))).toMatchObject({ ok: true, speakers: 2 })
  expect(merge(good, file('c.json', reportWith(1, [5], 1)))).toBe(1)
  const { buckets: _, ...old } = report
  expect(() => merge(good, file('d.json', old))).toThrow(/d\.json has no buckets/)
  expect(() => merge(file('e.json', { event: 'summary' }))).toThrow(/e\.json is no report of a fleet/)
  expect(() => merge(join(folder, 'none.json'))).toThrow(/none\.json can't be read: /)
})
