import { beforeAll, describe, expect, it } from 'vitest'
import { chooseEdits } from '../../../protocol/conformance/mutations/choose.ts'
import { keyOf } from '../../../protocol/conformance/mutations/edit.ts'
import { ESCAPES } from '../../../protocol/conformance/mutations/escapes.ts'
import { isCaught, type Tried } from '../../../protocol/conformance/mutations/outcome.ts'
import { editsInScope } from '../../../protocol/conformance/mutations/scope.ts'
import { COUNT, ROOT, SEED } from '../../../protocol/conformance/mutations/settings.ts'
import { tryAll } from '../../../protocol/conformance/mutations/try-all.ts'

describe('speakers with one edit that no case was made for', () => {
  const all = editsInScope(ROOT)
  let tried: Tried[]

  beforeAll(async () => {
    tried = await tryAll(chooseEdits(all, COUNT, SEED), { threads: 2 })
  })

  it(`there are ${COUNT}, and each is a program`, () => {
    expect(tried).toHaveLength(COUNT)
    expect(tried.filter(({ outcome }) => outcome.how === 'no program')).toEqual([])
  })

  it('the kit finds at least 95 %', () => {
    expect(tried.filter(isCaught).length).toBeGreaterThanOrEqual(0.95 * COUNT)
  })

  it('each that escapes has a reason in escapes.ts', () => {
    const escaped = tried.filter((one) => !isCaught(one)).map(({ edit }) => keyOf(edit))
    expect(escaped.filter((key) => !ESCAPES.has(key))).toEqual([])
  })

  it('every reason is for an edit that the rules still make', () => {
    const keys = new Set(all.map(keyOf))
    expect([...ESCAPES.keys()].filter((key) => !keys.has(key))).toEqual([])
  })
})
