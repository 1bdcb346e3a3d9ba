import { describe, expect, it } from 'vitest'
import { profileSchema } from '../../../../protocol/conformance/case/profile.ts'
import { oneInFlight } from '../../../protocol/conformance/support/bends.ts'
import { faulty, idsOf, runKit } from '../../../protocol/conformance/support/run-kit.ts'

describe('the simulated speaker', () => {
  it('passes if its sentences are over at once; cases that need longer ones are skipped, with the reason', async () => {
    const fast = await runKit({ mutation: { config: { msPerClip: 5 } } })
    expect(faulty(fast)).toEqual([])
    const notes = fast.results.filter(({ verdict }) => verdict === 'skip').map(({ id, note }) => [id, note])
    expect(Object.fromEntries(notes)).toMatchObject({
      'expiry/while-waiting': expect.stringMatching(
        /sentences are too short: it takes \d+ to speak for .+ 6 at most/,
      ),
      'dedupe/power-cut-while-speaking': expect.stringContaining("it can't be decided on this device"),
    })
    // With several sentences the case still applies.
    const quick = await runKit({ mutation: { config: { msPerClip: 60 } }, only: ['expiry', 'ack'] })
    expect(idsOf(quick, 'pass')).toContain('expiry/while-waiting')
  })

  it('passes if it has no sound to wait for', async () => {
    expect(faulty(await runKit({ mutation: { config: { msPerClip: 0 } } }))).toEqual([])
  })

  it('passes if it waits for the PUBACK of each message before it sends the next', async () => {
    const report = await runKit({ mutation: { line: oneInFlight() } })
    expect(faulty(report)).toEqual([])
    expect(idsOf(report, 'pass')).toEqual(
      expect.arrayContaining(['held/acks-of-several', 'ack/resent-when-not-stored', 'power/given-up']),
    )
  })

  it('sb/1 7.17: passes without a screen and with one language, without delays', async () => {
    const profile = profileSchema.parse({ caps: ['speaker'], lang: ['en'] })
    const mutation = { config: { caps: ['speaker' as const], languages: ['en' as const] } }
    const report = await runKit({ profile, mutation, only: ['expiry', 'ack', 'order', 'settings'] })
    expect(faulty(report)).toEqual([])
    expect(idsOf(report, 'pass')).toContain('ack/no-screen')
  })
})
