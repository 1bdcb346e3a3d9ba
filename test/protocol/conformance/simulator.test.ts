import { beforeAll, describe, expect, it } from 'vitest'
import { profileSchema } from '../../../protocol/conformance/profile.ts'
import { countVerdicts, exitCodeOf, type Report } from '../../../protocol/conformance/report/report.ts'
import { idsOf, runKit } from './support/run-kit.ts'

describe('the simulated speaker', () => {
  let attended: Report
  let alone: Report

  beforeAll(async () => {
    ;[attended, alone] = await Promise.all([runKit(), runKit({ attended: false })])
  }, 60_000)

  it('passes every case, with somebody before it who pulls its plug and looks at its screen', () => {
    const others = attended.results.filter(({ verdict }) => verdict !== 'pass')
    // What is meant for devices of another kind.
    expect(others.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['ack/no-screen', 'skip'],
      ['expiry/clock-of-welcome-preferred', 'skip'],
    ])
    expect(exitCodeOf(attended)).toBe(0)
  })

  it('passes as a device with a clock, without a screen, or with one language, too', async () => {
    const profiles = [{ clock: 'own' }, { caps: ['speaker'], lang: ['en'] }].map((one) =>
      profileSchema.parse(one),
    )
    const reports = await Promise.all(profiles.map((profile) => runKit({ profile, only: ['expiry', 'ack'] })))
    for (const report of reports) expect([...idsOf(report, 'fail'), ...idsOf(report, 'error')]).toEqual([])
  })

  it('passes alone what needs nobody; what does is skipped or left open, with the reason', () => {
    const { pass, skip, inconclusive } = countVerdicts(alone.results)
    expect(pass + skip + inconclusive).toBe(alone.results.length)
    expect(idsOf(alone, 'inconclusive')).toEqual([
      'screen/qr-goes',
      'screen/paid',
      'screen/unlinked',
      'screen/code-goes',
    ])
    for (const { verdict, note } of alone.results) if (verdict !== 'pass') expect(note).toMatch(/\w/)
  })

  it('takes about a minute of its own time', () => {
    expect(alone.durationMs).toBeLessThan(90_000)
  })
})
