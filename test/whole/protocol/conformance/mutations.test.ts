import { describe, expect, it } from 'vitest'
import { chooseEdits } from '../../../protocol/conformance/mutations/choose.ts'
import { applyEdit, keyOf } from '../../../protocol/conformance/mutations/edit.ts'
import { LEFT_OUT } from '../../../protocol/conformance/mutations/left-out.ts'
import { editsOf } from '../../../protocol/conformance/mutations/list.ts'
import { outcomeOf } from '../../../protocol/conformance/mutations/outcome.ts'
import { RULES } from '../../../protocol/conformance/mutations/rules.ts'
import { scopeOf } from '../../../protocol/conformance/mutations/scope.ts'
import { ROOT } from '../../../protocol/conformance/mutations/settings.ts'

/** What a rule makes of a line of code. */
const MADE: [rule: string, code: string, edited: string[]][] = [
  ['comparison', 'const f = (n: number) => n <= played', ['n < played']],
  ['comparison', 'const f = (n: number) => n === played', ['n !== played']],
  ['arithmetic', 'const until = command.at + command.ttl', ['command.at - command.ttl']],
  ['logic', 'const is = !waiting', ['const is = waiting']],
  ['logic', 'const is = waiting && sounding', ['waiting || sounding']],
  ['logic', 'const n = welcome?.n ?? played', ['const n = (played)']],
  ['method', 'const n = Math.max(played, next)', ['Math.min(played, next)']],
  ['constant', 'const WAIT_S = 15', ['const WAIT_S = 16', 'const WAIT_S = 0']],
  ['constant', 'const WAIT_MS = 900', ['const WAIT_MS = 1800', 'const WAIT_MS = 0']],
  ['constant', "const stage = 'shown'", ["const stage = 'played'"]],
  ['constant', 'const dup = true', ['const dup = false']],
  ['condition', 'if (expired) refuse()', ['if (true) refuse()', 'if (false) refuse()']],
  ['dropped statement', 'save(memory)', ['{}']],
  ['dropped field', 'const next = { ...state, played: n }', ['const next = { ...state }']],
  ['dropped field', "const event = { type: 'tick' }", []],
  ['dropped element', 'const effects = [persist, publish]', ['[publish]', '[persist]']],
  ['dropped step', 'const all = chain(received, startNext)', ['const all = received']],
]

describe('the rules that make faulty speakers', () => {
  it.each(MADE)('%s: %s', (rule, code, edited) => {
    const edits = editsOf('a.ts', code).filter((one) => one.rule === rule)
    expect(edits.map((edit) => applyEdit(code, edit))).toEqual(
      edited.map((part) => expect.stringContaining(part)),
    )
  })

  it('each has an example here', () => {
    expect(Object.keys(RULES).filter((rule) => !MADE.some(([name]) => name === rule))).toEqual([])
  })

  it('leave types and imports alone', () => {
    expect(editsOf('a.ts', "import { a } from './1.ts'\ntype Stage = 'shown' | 1")).toEqual([])
  })
})

describe('the choice of faulty speakers', () => {
  const { edits: all } = scopeOf(ROOT)

  it('is the same for the same seed, and another for another', () => {
    const keys = (seed: number) => chooseEdits(all, 20, seed).map(keyOf)
    expect(keys(7)).toEqual(keys(7))
    expect(keys(8)).not.toEqual(keys(7))
  })

  it('has every rule and every file', () => {
    const chosen = chooseEdits(all, 60, 7)
    expect(new Set(chosen.map(({ rule }) => rule))).toEqual(new Set(Object.keys(RULES)))
    expect(new Set(chosen.map(({ file }) => file))).toEqual(new Set(all.map(({ file }) => file)))
  })
})

describe('edits that make no faulty speaker', () => {
  it('each reason is for an edit that the rules make', () => {
    const { leftOut } = scopeOf(ROOT)
    expect(LEFT_OUT.filter(({ why }) => !leftOut.has(why))).toEqual([])
  })
})

describe('a faulty speaker', () => {
  const right = { connected: true, fail: [], warn: [], error: [] }

  it.each([
    ['passes', right, { how: 'escaped' }],
    ['fails a case', { ...right, fail: ['mac/ack'] }, { how: 'caught', fail: ['mac/ack'], warn: [] }],
    ['gets a warning', { ...right, warn: ['mac/ack'] }, { how: 'caught', fail: [], warn: ['mac/ack'] }],
    ['never connects', { ...right, connected: false }, { how: 'gone' }],
    ['is lost during the run', { ...right, error: ['mac/ack'] }, { how: 'gone' }],
  ])('that %s', (_, findings, outcome) => {
    expect(outcomeOf(findings)).toEqual(outcome)
  })
})
