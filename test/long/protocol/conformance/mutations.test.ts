import { beforeAll, describe, expect, it } from 'vitest'
import { chooseEdits } from '../../../protocol/conformance/mutations/choose.ts'
import { keyOf } from '../../../protocol/conformance/mutations/edit.ts'
import { ESCAPES, whyEscaped } from '../../../protocol/conformance/mutations/escapes.ts'
import { fits } from '../../../protocol/conformance/mutations/kind.ts'
import { isCaught, type Tried } from '../../../protocol/conformance/mutations/outcome.ts'
import { scopeOf } from '../../../protocol/conformance/mutations/scope.ts'
import { COUNT, ROOT, SEED } from '../../../protocol/conformance/mutations/settings.ts'
import { tryAll } from '../../../protocol/conformance/mutations/try-all.ts'

describe('speakers with one edit that no case was made for', () => {
  const { edits: all } = scopeOf(ROOT)
  let tried: Tried[]

  beforeAll(async () => {
    tried = await tryAll(chooseEdits(all, COUNT, SEED), { threads: 2 })
  })

  it('a speaker without an edit passes, so whatever is caught is caught by its edit', async () => {
    const edit = {
      file: '',
      line: 0,
      place: '',
      rule: '',
      start: 0,
      end: 0,
      was: '',
      text: '',
      before: '',
      after: '',
    }
    expect(await tryAll([edit], { threads: 1 })).toEqual([{ edit, outcome: { how: 'escaped' } }])
  })

  it(`there are ${COUNT}, and each is a program`, () => {
    expect(tried).toHaveLength(COUNT)
    expect(tried.filter(({ outcome }) => outcome.how === 'no program')).toEqual([])
  })

  it('the kit finds at least 95 %', () => {
    expect(tried.filter(isCaught).length).toBeGreaterThanOrEqual(0.95 * COUNT)
  })

  it('each that escapes has a reason in escapes.ts', () => {
    const escaped = tried.filter((one) => !isCaught(one)).map(({ edit }) => edit)
    expect(escaped.filter((edit) => whyEscaped(edit) === undefined).map(keyOf)).toEqual([])
  })

  it('every reason is for an edit that the rules still make', () => {
    expect(ESCAPES.filter((kind) => !all.some((edit) => fits(kind, edit)))).toEqual([])
  })
})
