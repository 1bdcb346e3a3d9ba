import { beforeAll, describe, expect, it } from 'vitest'
import { countVerdicts, exitCodeOf, type Report } from '../../../protocol/conformance/report/report.ts'
import { idsOf, runKit } from './support/run-kit.ts'

describe('the simulated speaker', () => {
  let attended: Report
  let alone: Report

  beforeAll(async () => {
    ;[attended, alone] = await Promise.all([runKit(), runKit({ attended: false })])
  }, 60_000)

  it('passes every case, with somebody before it who pulls its plug and looks at its screen', () => {
    expect(attended.results.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    expect(exitCodeOf(attended)).toBe(0)
  })

  it('passes alone what needs nobody; what does is skipped or left open, with the reason', () => {
    const { pass, skip, inconclusive } = countVerdicts(alone.results)
    expect(pass + skip + inconclusive).toBe(alone.results.length)
    expect(idsOf(alone, 'inconclusive')).toEqual([
      'screen/code-goes',
      'screen/qr-goes',
      'screen/paid',
      'screen/unlinked',
    ])
    for (const { verdict, note } of alone.results) if (verdict !== 'pass') expect(note).toMatch(/\w/)
  })

  it('takes about a minute of its own time', () => {
    expect(alone.durationMs).toBeLessThan(90_000)
  })
})
