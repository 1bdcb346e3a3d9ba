import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadCases, readCaseFile } from '../../../protocol/conformance/case/load.ts'
import type { Case, Step } from '../../../protocol/conformance/case/schema.ts'
import { parseClauses, readClauses } from '../../../protocol/conformance/report/clauses.ts'

const CASES = loadCases()
const CLAUSES = readClauses()

/** Clauses that bind a device, and that no case of the kit is about; each with the reason. */
const NOT_FOR_THE_KIT: Readonly<Record<string, string>> = {
  '2.1': 'a connection does not show how a factory and a device store K',
  '8.6': 'somebody would have to press the buttons of a device that has some',
  '12.3': 'it takes a power cut in the middle of a write: a hundred by hand, or a bench with a relay',
  '12.4': 'it takes a record that is broken on the flash',
}

/** Clauses that bind the hub, or tell how it is: a device can't break them. */
const OF_THE_HUB = [
  '1.5 2.4 3.3 3.4 6.1 7.1 7.2 7.3 7.18 7.21 8.2 8.4 9.2 11.4 11.6',
  // A MAY: whatever a device does is right.
  '13.4',
].flatMap((line) => line.split(' '))

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
    const missing = [...CLAUSES.keys()].filter(
      (clause) => !cited.has(clause) && NOT_FOR_THE_KIT[clause] === undefined && !OF_THE_HUB.includes(clause),
    )
    expect(missing, 'write a case, or say in NOT_FOR_THE_KIT why there is none').toEqual([])
  })

  it('exclude only clauses that no case covers', () => {
    const cited = new Set(CASES.flatMap(({ clauses }) => clauses))
    expect(
      Object.keys(NOT_FOR_THE_KIT).filter((clause) => cited.has(clause) || !CLAUSES.has(clause)),
    ).toEqual([])
    expect(OF_THE_HUB.filter((clause) => !CLAUSES.has(clause))).toEqual([])
  })

  it('refer only to commands that they have sent', () => {
    expect(CASES.flatMap((one) => unknownNames(one).map((name) => `${one.id}: ${name}`))).toEqual([])
  })

  it('state their reason in sentences', () => {
    expect(CASES.filter(({ why }) => !/^[A-Z`].*[^ ]\.$/.test(why)).map(({ id }) => id)).toEqual([])
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
