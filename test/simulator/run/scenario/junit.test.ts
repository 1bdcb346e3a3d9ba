import { describe, expect, it } from 'vitest'
import { junitOf } from '../../../../simulator/run/scenario/report/junit.ts'
import { type FileResult, summaryOf } from '../../../../simulator/run/scenario/report/results.ts'
import { junitMistakes, parseXml } from '../../support/junit-schema.ts'

const AT = new Date('2026-11-20T03:00:00.123Z')
/** What XML has to escape, and what it forbids. */
const NASTY = 'see: { bill: "<B&1>" } ]]> Phở \u0000\u001b[31m\ud800 \uffff \u{1f50a}'

const passed = (file: string): FileResult => ({ file, result: 'passed', ms: 1_234, reason: '', details: [] })
const RESULTS: FileResult[] = [
  passed('a/one.yaml'),
  {
    file: 'a/two.yml',
    result: 'failed',
    ms: 500,
    reason: `a/two.yml:3: ${NASTY}`,
    details: ['first', `  ${NASTY}`],
  },
  { file: 'b c/three.yaml', result: 'invalid', ms: 0, reason: 'x\ny', details: ['x', 'y'] },
  { file: 'b c/four.yaml', result: 'skipped', ms: 0, reason: 'another file is wrong', details: [] },
  { file: 'b c/five.yaml', result: 'broken', ms: 0, reason: 'no hub', details: ['no hub'] },
]

describe('results as JUnit XML', () => {
  const xml = junitOf(RESULTS, AT)
  const root = parseXml(xml)

  it('obey the schema of Jenkins', () => {
    expect(junitMistakes(root)).toEqual([])
    expect(junitMistakes(parseXml(junitOf([], AT)))).toEqual([])
  })

  it('have a suite for each folder, with its counts', () => {
    expect(root.attributes).toMatchObject({ tests: '5', failures: '1', errors: '2', time: '1.734' })
    expect(root.children.map(({ attributes }) => attributes)).toEqual([
      {
        ...{ name: 'a', tests: '2', failures: '1', errors: '0', skipped: '0', time: '1.734' },
        timestamp: '2026-11-20T03:00:00',
      },
      expect.objectContaining({ name: 'b c', tests: '3', failures: '0', errors: '2', skipped: '1' }),
    ])
  })

  it('have a case for each scenario, with its time and what is wrong', () => {
    const cases = root.children.flatMap(({ children }) => children)
    expect(
      cases.map(({ attributes, children }) => [attributes.classname, attributes.name, children[0]?.name]),
    ).toEqual([
      ['a', 'one', undefined],
      ['a', 'two', 'failure'],
      ['b c', 'three', 'error'],
      ['b c', 'four', 'skipped'],
      ['b c', 'five', 'error'],
    ])
    expect(cases[0]?.attributes.time).toBe('1.234')
    const clean = NASTY.replace(/[\u0000\u001b\ud800\uffff]/gu, '.')
    expect(cases[1]?.children[0]).toMatchObject({
      attributes: { message: `a/two.yml:3: ${clean}`, type: 'failed' },
      text: `first\n  ${clean}`,
    })
    expect(cases[2]?.children[0]?.attributes.message).toBe('x\ny')
  })
})

describe('the check of this test', () => {
  const around = (inside: string) => `<?xml version="1.0" encoding="UTF-8"?>\n${inside}\n`

  it.each([
    ['<testsuites skipped="1"></testsuites>', 'may not have skipped'],
    ['<testsuite tests="0"></testsuite>', 'lacks name'],
    ['<testsuite name="a" tests="x"/>', 'is no number'],
    ['<testcase name="a"><failure/><skipped/></testcase>', '<skipped> in <testcase>'],
    ['<testcase name="a">text</testcase>', 'text in'],
    ['<testcase name="a"><passed/></testcase>', '<passed>'],
  ])('finds what the schema forbids: %s', (xml, mistake) => {
    expect(junitMistakes(parseXml(around(xml))).join()).toContain(mistake)
  })

  it.each([
    '<a>',
    '<a></b>',
    '<a b="<"/>',
    '<a>&</a>',
    '<a>&nope;</a>',
    '<a b="1" b="2"/>',
    '<a/><b/>',
    '<a>\u0001</a>',
  ])('finds what is not well-formed: %j', (xml) => {
    expect(() => parseXml(around(xml))).toThrow()
  })
})

it.each([
  [[passed('a')], '1 scenario: 1 passed, in 2.00 s.'],
  [RESULTS, '5 scenarios: 1 passed, 2 failed, 1 not played, in 2.00 s.'],
])('the summary counts', (results, text) => {
  expect(summaryOf(results, 2_000)).toBe(text)
})
