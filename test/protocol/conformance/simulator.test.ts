import { beforeAll, describe, expect, it } from 'vitest'
import { profileSchema } from '../../../protocol/conformance/case/profile.ts'
import { countVerdicts, type Report } from '../../../protocol/conformance/report/report.ts'
import { randomFrom } from '../../support/random.ts'
import { publishes } from './support/bends.ts'
import { faulty, idsOf, runKit } from './support/run-kit.ts'
import { hears, roomFor } from './support/steps.ts'

// test/whole/protocol/conformance/simulator.test.ts runs the whole kit on other builds of it.
describe('the simulated speaker', () => {
  let attended: Report
  let alone: Report

  beforeAll(async () => {
    ;[attended, alone] = await Promise.all([runKit(), runKit({ attended: false })])
  })

  it('passes every case with an operator who cuts its power and checks its screen', () => {
    const others = attended.results.filter(({ verdict }) => verdict !== 'pass')
    // What is meant for devices of another kind.
    expect(others.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['ack/no-screen', 'skip'],
      ['ack/no-speaker', 'skip'],
      ['ack/no-qr', 'skip'],
      ['ack/no-vietnamese', 'skip'],
      ['ack/no-english', 'skip'],
      ['expiry/clock-of-welcome-preferred', 'skip'],
      ['order/no-room', 'skip'],
      ['screen/code-goes', 'skip'],
      ['size/longest-sentence', 'skip'],
      ['held/shorter-sum-of-repeat', 'skip'],
      ['power/given-up-in-time', 'skip'],
      ['power/acks-await-welcome', 'skip'],
      ['rekey/after-the-sentence', 'skip'],
    ])
  })

  it('passes as a device with its own clock', async () => {
    const profile = profileSchema.parse({ clock: 'own' })
    const report = await runKit({ profile, only: ['expiry', 'power'] })
    expect(faulty(report)).toEqual([])
    expect(idsOf(report, 'pass')).toContain('power/given-up-in-time')
  })

  it.each([
    ['sb/1 4.3: passes a SUBACK that refuses', 'reconnection/suback-refused'],
    ['sb/1 7.26: passes a hub that confirms no ack', 'held/never-confirmed'],
  ])('%s', async (_, only) => {
    expect(idsOf(await runKit({ only: [only] }), 'pass')).toContain(only)
  })

  it('passes without telemetry if its profile says so', async () => {
    const profile = profileSchema.parse({ telemetry: false })
    const mutation = { line: publishes('telemetry', () => []) }
    const report = await runKit({ profile, mutation, only: ['connection'] })
    expect(faulty(report)).toEqual([])
    expect(idsOf(report, 'skip')).toContain('connection/telemetry-first')
  })

  it('sb/1 7.11: passes with room for 4 sounds on a network on which more must wait', async () => {
    const mutation = { step: roomFor(4), config: { msPerClip: 100 } }
    const over = { eachWayMs: 0, lateShare: 0.05, lateMs: 1_000, random: randomFrom(4) }
    const report = await runKit({ mutation, over, only: ['expiry', 'held', 'power'] })
    expect(faulty(report)).toEqual([])
    expect(report.results.some(({ note }) => note?.includes('it has no room'))).toBe(true)
  })

  it('speaks for longer when a case could not be decided: its speed was not known yet, or the kit was slow', async () => {
    const only = ['expiry/while-waiting']
    // Its sentence takes about five seconds, and the kit waits for 5 s, or on a slow machine for 15 s.
    const mutation = { config: { msPerClip: 200 } }
    for (const waitsTake of [1, 3])
      expect(idsOf(await runKit({ mutation, only, waitsTake }), 'pass')).toContain(only[0])
  })

  it('sb/1 7.18: is not waited for when a birth has voided what it received', async () => {
    const report = await runKit({ only: ['power/before-welcome', 'reconnection/before-suback'] })
    expect(idsOf(report, 'pass')).toEqual(
      expect.arrayContaining(['power/before-welcome', 'reconnection/before-suback']),
    )
    expect(report.durationMs).toBeLessThan(profileSchema.parse({}).timings.speechMs)
  })

  it('passes a case of seconds at the second try, and the result says so', async () => {
    let received = 0
    // Those of the welcome, of two more, and of the announcement in the last second.
    const losesTheFourth = publishes('ack', ({ payload }) => {
      if (String(payload).includes('"st":"received"')) received += 1
      return received === 4 ? [] : {}
    })
    const report = await runKit({ mutation: { line: losesTheFourth }, only: ['expiry/last-second'] })
    expect(faulty(report)).toEqual([])
    expect(report.results.at(-1)?.note).toMatch(/^passed when tried again; first came /)
  })

  it('is asked about a long text by its start and its length', async () => {
    const step = hears('qr', ({ d }) => ({ d: { ...d, qr: d.qr.slice(0, 255) } }))
    const report = await runKit({ mutation: { step }, only: ['size/longest-qr'] })
    const [finding] = report.results.at(-1)?.findings ?? []
    expect(finding?.expected).toMatch(
      /^yes to: Does a phone .* the whole text 7{20}… \(\d{3,4} characters\)\?$/,
    )
  })

  it('has its volume back after the case that mutes it', async () => {
    const { transcript } = await runKit({ only: ['settings/muted'] })
    const volumes = transcript.filter(({ kind }) => kind === 'settings').map(({ says }) => says.volume)
    expect(volumes).toEqual([0, 60, 60])
  })

  it('passes without an operator; cases that need one are skipped or inconclusive, with the reason', () => {
    const { pass, skip, inconclusive } = countVerdicts(alone.results)
    expect(pass + skip + inconclusive).toBe(alone.results.length)
    expect(idsOf(alone, 'inconclusive')).toEqual([
      'ack/locked',
      'screen/paid',
      'screen/not-paid',
      'screen/paid-longest-bill',
      'screen/no-older-qr',
      'screen/clears-what-it-names',
      'screen/unlinked',
      'screen/locked-no-qr',
      'screen/unlinked-keeps-code',
      'screen/missed-replaced',
      'screen/missed-after-qr',
      'screen/missed-comes-back',
      'screen/code-in-front',
      'held/unlinked-by-welcome',
      'held/paid-takes-qr',
      'held/missed-stays',
    ])
    for (const { verdict, note } of alone.results) if (verdict !== 'pass') expect(note).toMatch(/\w/)
  })

  it('takes less than four minutes of simulated time', () => {
    expect(attended.durationMs).toBeLessThan(240_000)
  })

  it('gets a welcome and no new session when its time is wrong, once it has shown that it takes a time back', async () => {
    const only = ['expiry/clock-set-back', 'expiry/last-second', 'expiry/settings-on-arrival']
    const sessionsOf = async (...ids: string[]) =>
      (await runKit({ only: ids })).transcript.filter(({ kind }) => kind === 'connect').length
    expect(await sessionsOf(...only)).toBe(1)
    expect(await sessionsOf(...only.slice(1))).toBe(2)
  })
})
