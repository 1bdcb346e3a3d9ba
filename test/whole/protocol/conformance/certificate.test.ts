import { beforeAll, describe, expect, it } from 'vitest'
import {
  assertDeclarable,
  type Profile,
  parseProfile,
} from '../../../../protocol/conformance/case/profile.ts'
import {
  type Certificate,
  certify,
  exitCodeOf,
  unfinished,
} from '../../../../protocol/conformance/report/certificate.ts'
import { matrixLines, tell, verdictLines } from '../../../../protocol/conformance/report/matrix.ts'
import { plainPaint } from '../../../../protocol/conformance/report/paint.ts'
import type { Report } from '../../../../protocol/conformance/report/report.ts'
import { SPEC_VERSION } from '../../../../protocol/version.ts'
import { step } from '../../../../simulator/speaker/device/device.ts'
import type { Memory } from '../../../../simulator/speaker/memory/memory.ts'
import { CATALOGUE, DECLARES } from '../../../protocol/conformance/support/catalogue.ts'
import { type KitRun, runKit } from '../../../protocol/conformance/support/run-kit.ts'

/** All cases of the kit, in the words of --only. */
const ALL_CASES = CATALOGUE.cases.map(({ id }) => id)

function profileOf(fields: Partial<Profile> = {}): Profile {
  return parseProfile('p', JSON.stringify({ clock: 'hub', declares: DECLARES, ...fields }))
}

interface Judged {
  report: Report
  certificate: Certificate
  /** The last lines of the report. */
  text: string
  /** The numbers of the MUST clauses that are not done. */
  open: string[]
}

async function judge(run: KitRun): Promise<Judged> {
  return judgeReport(await runKit({ profile: profileOf(), only: ALL_CASES, ...run }))
}

function judgeReport(report: Report): Judged {
  const certificate = certify(report, CATALOGUE)
  const text = verdictLines(report, certificate, plainPaint).join('\n')
  return { report, certificate, text, open: unfinished(certificate.clauses).map(({ number }) => number) }
}

const forgetful = (kept: Memory): Memory => ({ ...kept, played: 0 })

const byItsOwnClock: typeof step = (state, event) => {
  const next = step(state, event)
  return { ...next, state: { ...next.state, hubAheadMs: 0 } }
}

function rowOf({ certificate }: Judged, number: string) {
  const row = certificate.clauses.find((one) => one.number === number)
  if (!row) throw new Error(`no clause ${number}`)
  return row
}

describe('a run with power cuts, eyes and ears', () => {
  let judged: Judged
  beforeAll(async () => {
    judged = await judge({})
  })

  it('certifies a speaker that keeps every MUST', () => {
    expect(judged.open).toEqual([])
    expect(judged.certificate.result).toBe('certified')
    expect(judged.text).toMatch(
      new RegExp(`^Certified for sb/1 ${SPEC_VERSION} by version 0.0.0 of the kit\\n`),
    )
    expect(judged.text).toContain('With      screen speaker qr rekey update health vi en')
    const [, all, ...some] =
      /Checked {3}(\d+) MUST clauses: (\d+) on the wire, (\d+) with power cuts, (\d+) by eyes/.exec(
        judged.text,
      ) ?? []
    expect(some.reduce((sum, count) => sum + Number(count), 0)).toBe(Number(all))
    expect(judged.text).toMatch(/Declared {2}2\.1 .*12\.3.*: by design/)
    expect(judged.text).toMatch(/In part {3}.*13\.2: observed for 3 s of 15 minutes/)
    expect([exitCodeOf(judged.certificate, false), exitCodeOf(judged.certificate, true)]).toEqual([0, 0])
  })

  it('has every clause in its matrix, with the reason', () => {
    const text = matrixLines(judged.certificate, plainPaint).join('\n')
    expect(text).toMatch(/✔ 7\.5 {3}MUST {4}checked on the wire, with power cuts and by eyes and ears\n/)
    expect(text).toMatch(/• 12\.3 {2}MUST {4}declared by the maker: by design\n/)
    expect(text).toMatch(/○ 7\.17 {2}SHOULD {2}does not apply: it has a screen, it has a speaker, it shows\n/)
    expect(text).toMatch(/\? 12\.4 {2}SHOULD {2}not declared by the maker; no kit can check it/)
    expect(text).toMatch(/hub {3}1\.5 2\.4 /)
    expect(judged.certificate.clauses.length).toBe(CATALOGUE.list.size)
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  it.each<[string, ('screen' | 'speaker' | 'qr')[]]>([
    ['speaker', ['screen', 'qr']],
    ['QR', ['speaker', 'screen']],
  ])('judges a device without a %s by what it answers to a command for it', async (_what, caps) => {
    const profile = profileOf({ caps })
    const judged = await judge({ profile, mutation: { config: { caps } }, only: ['ack'] })
    expect(rowOf(judged, '7.17')).toMatchObject({ watched: ['wire'], gaps: [] })
    expect(rowOf(judged, '7.17').status).toBe('checked')
  })

  it('does not certify without the declarations of the maker', () => {
    const { certificate, text, open } = judgeReport({
      ...judged.report,
      profile: profileOf({ declares: {} }),
    })
    expect(open).toEqual(Object.keys(DECLARES))
    expect(certificate.result).toBe('passed')
    expect(text).toMatch(/no kit can check them: declare in the profile[^:]+\n {4}2\.1 .*12\.3/)
  })

  it('does not certify a device whose profile leaves out what its birth has', () => {
    const profile = profileOf({ caps: ['speaker'], lang: ['vi'] })
    const { certificate, text, open } = judgeReport({ ...judged.report, profile })
    expect(open).toEqual([])
    expect(certificate).toMatchObject({
      result: 'passed',
      hidden: ['screen', 'qr', 'rekey', 'update', 'health', 'en'],
    })
    expect(text.replace(/\s+/g, ' ')).toMatch(/^Passed .* This is not a certificate\. the profile leaves out/)
    expect(text.replace(/\s+/g, ' ')).toContain('a hub goes by what it has: screen qr rekey update health en')
  })

  it('does not certify a device whose profile has a smaller buffer than its birth', () => {
    const { certificate } = judgeReport({ ...judged.report, profile: profileOf({ rx: 256 }) })
    expect(certificate).toMatchObject({ result: 'passed', hidden: ['rx'] })
  })

  it('does not certify a device that takes two announcements and whose profile says one', async () => {
    const { certificate } = await judge({ profile: profileOf({ queue: false }), only: ['order'] })
    expect(certificate).toMatchObject({ result: 'passed', hidden: ['queue'] })
  })

  it('does not certify a device that sends telemetry and whose profile says none', async () => {
    const profile = profileOf({ telemetry: false })
    const { certificate } = await judge({ profile, only: ['connection'] })
    expect(certificate).toMatchObject({ result: 'passed', hidden: ['telemetry'] })
    expect(certificate.clauses.find(({ number }) => number === '8.9')?.status).toBe('inapplicable')
  })

  it('does not certify a device whose later births name more than the first', () => {
    const { transcript } = judged.report
    const last = transcript.findLastIndex(({ kind }) => kind === 'birth')
    const changed = transcript.map((entry, index) =>
      index === last ? { ...entry, says: { ...entry.says, caps: ['speaker', 'printer'] } } : entry,
    )
    const { certificate } = judgeReport({ ...judged.report, transcript: changed })
    expect(certificate).toMatchObject({ result: 'passed', hidden: ['printer'] })
  })

  it('certifies a device that goes by its own clock, which it should not', async () => {
    const { open, certificate, text } = await judge({
      profile: profileOf({ clock: 'own' }),
      mutation: { step: byItsOwnClock },
    })
    expect(open).toEqual([])
    expect(certificate.result).toBe('certified')
    expect(text).toContain('Warned    SHOULD clauses that it does not follow: 11.1')
  })

  it('does not certify a device that could not show what a case is about', async () => {
    const late = { only: ALL_CASES, mutation: { config: { msPerClip: 5 } } }
    const { certificate, text, open } = await judge(late)
    expect(certificate.result).toBe('passed')
    expect(open).toContain('7.7')
    expect(text.replace(/\s+/g, ' ')).toMatch(
      /could not be decided on this device: see its reason under Skipped .*7\.7/,
    )
  })

  it('does not certify a selection of cases', async () => {
    const { certificate, text } = await judge({ only: ['mac', 'dedupe'] })
    expect(certificate.result).toBe('passed')
    expect(text).toContain('not all cases were selected: run without --only')
  })
})

describe('a run that nobody attends', () => {
  let judged: Judged
  beforeAll(async () => {
    judged = await judge({ attended: false })
  })

  it('passes on the wire, and says what was not checked and what it takes', () => {
    expect(judged.certificate.result).toBe('passed')
    expect(judged.text).toMatch(
      /^Passed on the wire\. This is not a certificate: \d+ of the \d+ MUST clauses/,
    )
    expect(judged.text).toMatch(/nobody cut its power: pass --power-cycle COMMAND,[\s\S]*? {4}.*\b12\.2/)
    expect(judged.text).toMatch(/nobody listened and looked: pass --answers COMMAND,[\s\S]*? {4}.*\b7\.10/)
    expect([exitCodeOf(judged.certificate, false), exitCodeOf(judged.certificate, true)]).toEqual([0, 4])
  })

  it.each([
    ['7.5', 'checked on the wire; open: nobody listened and looked'],
    ['12.2', 'not checked: nobody cut its power'],
    ['7.23', 'checked on the wire; open: nobody listened and looked'],
    ['5.3', 'checked on the wire'],
  ])('%s: %s', (number, words) => {
    expect(tell(rowOf(judged, number)).startsWith(words)).toBe(true)
  })

  it('leaves open what slow cases decide, without --slow', () => {
    const slow = CATALOGUE.cases.filter((one) => one.slow).map(({ id }) => id)
    const results = judged.report.results.filter(({ id }) => !slow.includes(id))
    const { text, open } = judgeReport({ ...judged.report, results, leftOut: slow })
    expect(open).toContain('1.3')
    expect(text).toMatch(/slow cases were left out: pass --slow\n {4}1\.3/)
  })
})

describe('a profile', () => {
  it('declares only clauses that no kit can check', () => {
    expect(() => assertDeclarable(profileOf(), CATALOGUE.list)).not.toThrow()
    expect(() => assertDeclarable(profileOf({ declares: { '7.5': 'x' } }), CATALOGUE.list)).toThrow(
      /^the profile declares 7\.5: only 2\.1, .*12\.3.* can be declared$/,
    )
  })

  it('has its timings in the verdict', async () => {
    const { timings } = parseProfile('p', 'timings: { answerMs: 9000 }')
    const { text } = await judge({ profile: profileOf({ timings }), only: ['session/puback'] })
    expect(text).toContain('Timings   of its profile: answerMs 9000')
  })
})

describe('a run that ends otherwise', () => {
  it('has failed when a case has, and names the clauses', async () => {
    const judged = await judge({ mutation: { afterPowerCut: forgetful }, only: ['dedupe'] })
    expect(judged.certificate.result).toBe('failed')
    expect(judged.text).toMatch(/^Failed\. Clauses of the failed cases: 7\.5 7\.9 12\.1 12\.2$/)
    expect(tell(rowOf(judged, '12.2'))).toBe(
      'failed: dedupe/power-cut-while-speaking, dedupe/power-cut-with-one-waiting',
    )
    expect(exitCodeOf(judged.certificate, true)).toBe(1)
  })

  it('passes a speaker with its watermark in RAM if nobody cuts its power, and does not certify it', async () => {
    const judged = await judge({ mutation: { afterPowerCut: forgetful }, attended: false, only: ['dedupe'] })
    expect(judged.certificate.result).toBe('passed')
    expect(rowOf(judged, '12.1')).toMatchObject({ status: 'open', gaps: ['power', 'only'] })
    expect(exitCodeOf(judged.certificate, true)).toBe(4)
  })

  it('is undecided when the device was not there', () => {
    const lacks = new Map()
    const nothing = { kit: '0', results: [], leftOut: [], connected: false, lacks, profile: profileOf() }
    const device = {
      device: undefined,
      serial: 'S',
      transcript: [],
      watched: [],
      startedAtMs: 0,
      durationMs: 0,
    }
    const certificate = certify({ ...nothing, ...device }, CATALOGUE)
    expect(certificate.result).toBe('undecided')
    expect(exitCodeOf(certificate, true)).toBe(3)
  })

  it('names a SHOULD that is not followed', async () => {
    const { report } = await judge({ only: ['ack/never-busy'] })
    const results = report.results.map((result) => ({ ...result, verdict: 'warn' as const }))
    const cases = CATALOGUE.cases.filter(({ id }) => id === 'ack/never-busy')
    const { clauses } = certify({ ...report, results }, { ...CATALOGUE, cases })
    expect(clauses.find(({ number }) => number === '7.11')?.status).toBe('warned')
  })
})
