import { describe, expect, it } from 'vitest'
import { type Profile, parseProfile } from '../../../../protocol/conformance/case/profile.ts'
import { certify, unfinished } from '../../../../protocol/conformance/report/certificate.ts'
import { CATALOGUE, DECLARES } from '../../../protocol/conformance/support/catalogue.ts'
import type { Mutation } from '../../../protocol/conformance/support/device-under-test.ts'
import { runKit } from '../../../protocol/conformance/support/run-kit.ts'
import { oneAtATime } from '../../../protocol/conformance/support/steps.ts'

describe('a device of another kind', () => {
  it.each<[string, Mutation, Partial<Profile>, string[]]>([
    [
      'without a screen',
      { config: { caps: ['speaker'] } },
      { caps: ['speaker'] },
      ['6.4', '6.5', '7.6', '7.10'],
    ],
    [
      'with a screen that shows no QR',
      { config: { caps: ['speaker', 'screen'] } },
      { caps: ['speaker', 'screen'] },
      [],
    ],
    ['with one language', { config: { languages: ['en'] } }, { lang: ['en'] }, []],
    ['that takes one announcement at a time', { step: oneAtATime() }, { queue: false }, ['7.16']],
  ])('%s is certified for what it has', async (_what, mutation, given, inapplicable) => {
    const profile = parseProfile('p', JSON.stringify({ clock: 'hub', declares: DECLARES, ...given }))
    const only = CATALOGUE.cases.map(({ id }) => id)
    const { result, clauses } = certify(await runKit({ mutation, profile, only }), CATALOGUE)
    expect(unfinished(clauses).map(({ number }) => number)).toEqual([])
    expect(result).toBe('certified')
    const absent = clauses.filter(({ level, status }) => level === 'must' && status === 'inapplicable')
    expect(absent.map(({ number }) => number)).toEqual(expect.arrayContaining(inapplicable))
  })
})
