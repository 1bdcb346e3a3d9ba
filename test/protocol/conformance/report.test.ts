import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { hexDump } from '../../../protocol/conformance/report/bytes.ts'
import { certify } from '../../../protocol/conformance/report/certificate.ts'
import { readClauses } from '../../../protocol/conformance/report/clauses.ts'
import { detailsOf } from '../../../protocol/conformance/report/details.ts'
import { writeFiles } from '../../../protocol/conformance/report/files.ts'
import { junitOf } from '../../../protocol/conformance/report/junit.ts'
import { plainPaint } from '../../../protocol/conformance/report/paint.ts'
import type { Report } from '../../../protocol/conformance/report/report.ts'
import { caseLine, closingLines } from '../../../protocol/conformance/report/text.ts'
import { wrap } from '../../../protocol/conformance/report/wrap.ts'
import { passwordOf } from '../../../protocol/keys.ts'
import { SPEC_VERSION } from '../../../protocol/version.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { MUTANTS } from './mutants/all.ts'
import { CATALOGUE } from './support/catalogue.ts'
import { KEYS, SERIAL } from './support/device-under-test.ts'
import { runMutant } from './support/run-mutant.ts'

const clauses = readClauses()

describe('the report of a speaker that speaks a repeat', () => {
  let report: Report
  const certificate = () => certify(report, CATALOGUE)
  const telling = () => ({ report, clauses, certificate: certificate(), matrix: true, paint: plainPaint })
  const failed = () => report.results.filter(({ verdict }) => verdict === 'fail')

  beforeAll(async () => {
    const mutant = MUTANTS.find(({ name }) => name === 'speaks a repeat again')
    if (!mutant) throw new Error('the mutant has another name')
    report = await runMutant({ ...mutant, only: ['dedupe/repeat-when-played', 'ack/announce', 'connection'] })
  })

  it('quotes the clause, names the expected and the received packet, and shows the bytes', () => {
    const [first] = failed()
    const text = first ? detailsOf(first, telling()).join('\n') : ''
    expect(first?.id).toBe('dedupe/repeat-when-played')
    expect(text).toContain('7.5   An announcement MUST be spoken only if its n is above the last one')
    expect(text).toMatch(/Expected {2}ack of announce n \d+ with st "played", dup true within 3 s/)
    expect(text).toMatch(/Came {6}ack received n \d+, ack played n \d+ after 0\.7 s/)
    expect(text).toMatch(/Packet \d+ at [\d.]+ s to the device: command, \d+ bytes/)
    expect(text).toMatch(/0000 {2}32 [0-9a-f]{2} .*\.sb\/1/)
  })

  it('fits 80 columns', () => {
    const lines = [...report.results.map((one) => caseLine(one, plainPaint)), ...closingLines(telling())]
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it('ends with the counts and the ids of the failed cases', () => {
    const text = closingLines(telling()).join('\n')
    expect(text).toMatch(
      /Failed\n {2}dedupe\/repeat-when-played\n {2}To run one again, add --only dedupe\/repeat-when-played/,
    )
    expect(text).toMatch(/\d+ passed · 1 failed.* in \d+ s\nFailed\. Clauses of the failed cases: 7\.5$/)
  })

  it('is written in four formats, and none contains the password', () => {
    const folder = temporaryFolder()
    writeFiles(folder, report, { ...telling(), strict: false })
    expect(readdirSync(folder).sort()).toEqual([
      'report.json',
      'report.txt',
      'report.xml',
      'transcript.ndjson',
    ])
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    const password = passwordOf(KEYS)
    for (const name of readdirSync(folder)) {
      expect(read(name)).not.toContain(password)
      expect(read(name)).not.toContain(Buffer.from(password).toString('hex'))
    }
    const json = JSON.parse(read('report.json'))
    expect(json).toMatchObject({ protocol: 'sb/1', serial: SERIAL, exitCode: 1, counts: { fail: 1 } })
    expect(json).toMatchObject({ specification: SPEC_VERSION, kit: '0.0.0', result: 'failed' })
    expect(json.watched).toEqual(['wire', 'power', 'senses'])
    expect(json.profile).toMatchObject({ clock: 'hub', timings: { answerMs: 3_000 } })
    const row = json.clauses.find(({ number }: { number: string }) => number === '7.5')
    expect(row).toMatchObject({ level: 'must', status: 'failed', why: 'failed: dedupe/repeat-when-played' })
    expect(row.text).toMatch(/^An announcement MUST be spoken only if/)
    expect(read('report.txt')).toMatch(new RegExp(`^sb/1 ${SPEC_VERSION} conformance, kit 0.0.0: `))
    expect(read('report.txt')).toContain('✘ 7.5   MUST    failed: dedupe/repeat-when-played\n')
    const lines = read('transcript.ndjson')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.length).toBe(report.transcript.length)
    expect(lines.find(({ kind }) => kind === 'connect')).toMatchObject({
      direction: 'from device',
      has: { clean: true },
    })
    const acks = lines.filter((line) => line.kind === 'ack' && line.case === 'dedupe/repeat-when-played')
    expect(acks.map(({ says }) => says.st)).toEqual(['received', 'played', 'received', 'played'])
    expect(Buffer.from(acks[0].hex, 'hex').toString('latin1')).toContain('"received"')
  })

  it('has a JUnit form with one suite per area, and one for the clauses', () => {
    const xml = junitOf(telling())
    const clausesOfDevices = certificate().clauses.filter(({ status }) => status !== 'hub').length
    expect(xml).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="sb\/1 conformance" tests="\d+" failures="2"/,
    )
    expect(xml.match(/<testsuite /g)).toHaveLength(new Set(report.results.map(({ area }) => area)).size + 1)
    expect(xml.match(/<testcase /g)).toHaveLength(report.results.length + clausesOfDevices)
    expect(xml).toContain('<failure message="ack of announce')
    expect(xml).toContain(`<property name="specification" value="${SPEC_VERSION}"/>`)
    expect(xml).toContain('<property name="result" value="failed"/>')
    expect(xml).toMatch(
      /name="7\.5 MUST" time="0\.000"><failure message="failed: dedupe\/repeat-when-played"/,
    )
    expect(xml).toMatch(/name="1\.4 MUST" time="0\.000"\/>/)
    expect(xml).toMatch(/name="12\.2 MUST" time="0\.000"><skipped message="not checked: /)
    for (const [, attributes = '', inside = ''] of xml.matchAll(
      /<testsuite ([^>]*)>([\s\S]*?)<\/testsuite>/g,
    )) {
      const count = (tag: string) => inside.match(new RegExp(`<${tag}[ >]`, 'g'))?.length ?? 0
      expect(attributes).toContain(`tests="${count('testcase')}"`)
      expect(attributes).toContain(`failures="${count('failure')}"`)
      expect(attributes).toContain(`skipped="${count('skipped')}"`)
    }
    expect(tagsOf(xml)).toEqual([])
  })
})

describe('a dump', () => {
  it('has rows of sixteen bytes with their text', () => {
    const rows = hexDump(Buffer.from(`0123456789abcdef\n"ä`))
    expect(rows).toEqual([
      '0000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66 0123456789abcdef',
      '0010  0a 22 c3 a4                                      ."..',
    ])
  })

  it('is limited in length', () => {
    expect(hexDump(Buffer.alloc(700)).at(-1)).toBe('… and 188 bytes more')
  })
})

describe('text', () => {
  it('wraps between words, and indents the lines after the first', () => {
    expect(wrap('  a  ', 'one two three', 12)).toEqual(['  a  one two', '     three'])
    expect(wrap('', 'extraordinarily long', 6)).toEqual(['extraordinarily', 'long'])
  })
})

/** Tags that are opened and not closed, or the other way round. */
function tagsOf(xml: string): string[] {
  const open: string[] = []
  for (const [, closing, name = '', empty] of xml.matchAll(/<(\/?)([a-z-]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (empty) continue
    if (!closing) open.push(name)
    else if (open.pop() !== name) return [`</${name}>`]
  }
  return open
}
