import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseClauseList, readClauseList } from '../../../protocol/conformance/case/clause-list.ts'
import { loadCases, readCaseFile } from '../../../protocol/conformance/case/load.ts'
import type { Case, Step } from '../../../protocol/conformance/case/schema.ts'
import { parseClauses, readClauses } from '../../../protocol/conformance/report/clauses.ts'

const CASES = loadCases()
const CLAUSES = readClauses()

const LIST = readClauseList()

describe('the cases', () => {
  it('are valid files, and have unique ids', () => {
    expect(CASES.length).toBeGreaterThan(100)
    expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length)
  })

  it('cite existing clauses', () => {
    const cited = CASES.flatMap(({ id, clauses }) => clauses.map((clause) => ({ id, clause })))
    expect(cited.filter(({ clause }) => !CLAUSES.has(clause))).toEqual([])
  })

  it('cover every clause that a device can break', () => {
    const cited = new Set(CASES.flatMap(({ clauses }) => clauses))
    const missing = [...LIST].filter(
      ([clause, { level, beyond }]) =>
        ['must', 'should'].includes(level) && beyond === undefined && !cited.has(clause),
    )
    expect(
      missing.map(([clause]) => clause),
      'write a case, or say in clauses.yaml with `beyond` why there is none',
    ).toEqual([])
  })

  it('refer only to commands that they have sent', () => {
    expect(CASES.flatMap((one) => unknownNames(one).map((name) => `${one.id}: ${name}`))).toEqual([])
  })

  it('state their reason in sentences', () => {
    expect(CASES.filter(({ why }) => !/^[A-Z`].*[^ ]\.$/.test(why)).map(({ id }) => id)).toEqual([])
  })
})

describe('clauses.yaml', () => {
  it('has one line for each clause, in the order of the specification', () => {
    expect([...LIST.keys()], 'add a line such as `"7.18": must`').toEqual([...CLAUSES.keys()])
  })

  it('gives a clause no level that its text does not have', () => {
    const wrong = [...LIST].filter(([clause, { level }]) => {
      const text = CLAUSES.get(clause) ?? ''
      return level !== 'hub' && !new RegExp(`\\b${level.toUpperCase()}\\b`).test(text)
    })
    expect(wrong.map(([clause]) => clause)).toEqual([])
  })

  it('has reasons only for clauses without a case', () => {
    const cited = new Set(CASES.flatMap(({ clauses }) => clauses))
    const idle = [...LIST].filter(([clause, { beyond }]) => beyond !== undefined && cited.has(clause))
    expect(idle.map(([clause]) => clause)).toEqual([])
  })

  it('is read with the order of its lines, and without unknown words', () => {
    expect([...parseClauseList('"10.1": must\n"9.2": { level: hub }\n')]).toEqual([
      ['10.1', { level: 'must', for: [], either: [], beyond: undefined }],
      ['9.2', { level: 'hub', for: [], either: [] }],
    ])
    expect(() => parseClauseList('"1.1": ought')).toThrow(/1\.1/)
  })
})

describe('a case file', () => {
  const file = (steps: string) =>
    `area: x\nabout: y\ncases:\n  - id: a\n    title: t\n    clauses: ["7.5"]\n    why: w.\n${steps}`

  it.each([
    ['no YAML', 'area: [', /x\.yaml: /],
    [
      'a step that nobody knows',
      file('    steps:\n      - sned: announce\n'),
      /a step needs one of these keys: send, again/,
    ],
    [
      'an unknown field of a step',
      file('    steps:\n      - send: clear\n        off: x\n'),
      /Unrecognized key: "off"/,
    ],
    [
      'an invalid duration',
      file('    steps:\n      - expect: ack\n        within: soon\n'),
      /a duration is answer, 4s/,
    ],
    ['a case without steps', file(''), /either `always` or `steps`/],
    ['an invalid clause number', file('').replace('"7.5"', '"seven"'), /clauses\[0\]/],
  ])('with %s is rejected, and the message names the place', (_what, text, message) => {
    expect(() => readCaseFile('x.yaml', text)).toThrow(message)
  })
})

describe('the reader of clauses', () => {
  it('reads the paragraphs that start with a bold number, and removes links', () => {
    const text =
      '## 1. T\n**1.1** A device\nMUST [wait](x.md).\n\nIt is. **1.2** no\n\n**1.2** Rest.\n| a |\n'
    expect([...parseClauses(text)]).toEqual([
      ['1.1', 'A device MUST wait.'],
      ['1.2', 'Rest. | a |'],
    ])
  })

  it('finds every clause of the specification', () => {
    const specification = readFileSync(new URL('../../../protocol/README.md', import.meta.url), 'utf8')
    expect(CLAUSES.size).toBe(specification.match(/^\*\*\d+\.\d+\*\* /gm)?.length)
  })
})

/** Names that a step uses before any step has defined them. `$serial` and similar names are predefined. */
function unknownNames({ steps = [] }: Case): string[] {
  const known = new Set(['welcome', 'serial', 'sid', 'now', 'birth'])
  return steps.flatMap((step) => {
    const unknown = namesIn(step).filter((name) => !known.has(name))
    if ('send' in step) known.add(step.as ?? step.send)
    return unknown
  })
}

function namesIn(step: Step): string[] {
  const references = [...JSON.stringify(step).matchAll(/"\$([a-zA-Z0-9-]+?)(?:[.+-]|")/g)].map(
    ([, name = '']) => name,
  )
  const asked = 'ask' in step ? [...step.ask.matchAll(/\{([a-z0-9-]+)\./g)].map(([, name = '']) => name) : []
  const about =
    'ask' in step
      ? Object.entries(step.about).flatMap(([key, value]) =>
          key === 'screen' || key === 'times' ? [] : [String(value)],
        )
      : []
  return [...references, ...asked, ...about, ...direct(step)]
}

function direct(step: Step): string[] {
  if ('again' in step) return [step.again]
  if ('replay' in step) return [step.replay]
  const of = 'of' in step && step.of ? [step.of] : []
  return 'after' in step && 'expect' in step && step.after ? [...of, step.after] : of
}
