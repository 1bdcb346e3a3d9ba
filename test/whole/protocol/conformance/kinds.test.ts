import { describe, expect, it } from 'vitest'
import { type Profile, parseProfile } from '../../../../protocol/conformance/case/profile.ts'
import { certify, unfinished } from '../../../../protocol/conformance/report/certificate.ts'
import type { DeviceConfig } from '../../../../simulator/speaker/device/state/state.ts'
import { CATALOGUE, DECLARES } from '../../../protocol/conformance/support/catalogue.ts'
import { runKit } from '../../../protocol/conformance/support/run-kit.ts'

describe('a device of another kind', () => {
  it.each<[string, Partial<DeviceConfig>, Partial<Profile>, string[]]>([
    ['without a screen', { caps: ['speaker'] }, { caps: ['speaker'] }, ['6.4', '6.5', '7.6', '7.10']],
    ['with a screen that shows no QR', { caps: ['speaker', 'screen'] }, { caps: ['speaker', 'screen'] }, []],
    ['with one language', { languages: ['en'] }, { lang: ['en'] }, []],
    ['that takes one announcement at a time', {}, { queue: false }, ['7.16']],
  ])('%s is certified for what it has', async (_what, config, given, inapplicable) => {
    const profile = parseProfile('p', JSON.stringify({ clock: 'hub', declares: DECLARES, ...given }))
    const only = CATALOGUE.cases.map(({ id }) => id)
    const { result, clauses } = certify(await runKit({ mutation: { config }, profile, only }), CATALOGUE)
    expect(unfinished(clauses).map(({ number }) => number)).toEqual([])
    expect(result).toBe('certified')
    const absent = clauses.filter(({ level, status }) => level === 'must' && status === 'inapplicable')
    expect(absent.map(({ number }) => number)).toEqual(expect.arrayContaining(inapplicable))
  })
})
