import { describe, expect, it, onTestFinished } from 'vitest'
import { PartnerRefusal } from '../../../../simulator/run/hub/partner-client.ts'
import { parseScenario } from '../../../../simulator/run/scenario/file/load.ts'
import type { ScenarioPartner } from '../../../../simulator/run/scenario/play/partner.ts'
import { runScenario } from '../../../../simulator/run/scenario/play/run.ts'
import { describeOutcome, outcomeOnScreen } from '../../../../simulator/run/scenario/report/describe.ts'
import { wrap } from '../../../../simulator/screen/drawing/text.ts'
import { announcementOf } from '../../support/announcement.ts'
import type { HubDouble } from '../../support/hub-double.ts'
import { startLaggingClock } from '../../support/lagging-clock.ts'
import { speakerAtDouble } from '../../support/speaker-at-double.ts'

/** Plays steps against the double. `pay` sends an announcement; a bill named `refused` is refused. */
function play(...steps: string[]) {
  return playUntil(undefined, ...steps)
}

async function playUntil(signal: AbortSignal | undefined, ...steps: string[]) {
  const { hub, speaker } = await speakerAtDouble()
  const clock = startLaggingClock()
  onTestFinished(() => clock.stop())
  const text = `about: A test.\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`
  const scenario = parseScenario('x.yaml', text)
  const progress: string[] = []
  const outcome = await runScenario(scenario, {
    speakers: new Map([['speaker', speaker]]),
    partners: new Map([['partner', partnerAt(hub)]]),
    clock,
    ...(signal ? { signal } : {}),
    progress: ({ line }, state) => progress.push(`${line} ${state}`),
  })
  const onScreen = outcomeOnScreen(scenario, outcome)
  return { outcome, progress, onScreen, said: describeOutcome(scenario, outcome).join('\n') }
}

function partnerAt(hub: HubDouble): ScenarioPartner {
  return {
    sendCode: async () => undefined,
    register: async () => ({ storeId: 'store-1', terminalID: 'T-1' }),
    showQr: async () => undefined,
    stage: async () => 'sent',
    newPayment: (transactionAmount, billNumber) => ({
      ...{ transactionAmount, billNumber, terminalID: 'T-1', bankCode: 'MB', notice: '' },
      ...{ payDate: '2026-11-20T03:00:00.000Z', traceTransfer: '1', ftCode: 'FT-1' },
    }),
    report: async ({ transactionAmount, billNumber }) => {
      if (billNumber === 'refused')
        throw new PartnerRefusal('it', new Response(null, { status: 409 }), { code: 40019 })
      await hub.send('announce', announcementOf(transactionAmount))
    },
  }
}

describe('a scenario', () => {
  it('passes when every step passes, and reports each step', async () => {
    const { outcome, progress, said } = await play(
      'expect: connected',
      'see: { link: welcomed, display: { screen: unregistered }, sounding: null }',
      'pay: "50000"',
      'expect: { event: announce, amount: "50000" }',
      'expect: played',
      'count: { event: announce, amount: "50000" }\n    is: 1',
      'expectNone: announce\n    for: 20ms',
      'pay: "1"\n    bill: refused\n    fails: 40019',
      'stage: sent',
    )
    expect(said).toMatch(/^x\.yaml: every step passed, in \d+\.\d\d s\.$/)
    expect(outcome.ok).toBe(true)
    expect(progress.slice(0, 3)).toEqual(['3 begun', '3 done', '4 begun'])
  })

  it('matches earlier events, once, and in order', async () => {
    const { said } = await play(
      'expect: connected',
      'pay: "1000"',
      'pay: "2000"',
      'see: { played: 3, sounding: null }',
      'expect: { event: announce, amount: "2000" }',
      'expect: { event: announce, amount: "1000" }\n    within: 20ms',
    )
    expect(said).toMatch(/^x\.yaml:8: expect: .*"1000".*\n {2}it did not come within 20 ms\./)
  })

  it.each([
    [['expect: played\n    within: 20ms'], /^x\.yaml:3: expect: played.*\n {2}it did not come within 20 ms/],
    [
      ['expect: connected', 'pay: "1000"', 'expectNone: announce\n    for: 5s'],
      /^x\.yaml:5: .*\n {2}it came: \{"event":"announce","n":2,"amount":"1000"/,
    ],
    [
      ['expect: connected', 'count: connected\n    is: 2'],
      /^x\.yaml:4: .*\n {2}there were 1 since the start, not 2/,
    ],
    [
      ['expect: connected', 'see: { battery: 5 }\n    within: 20ms'],
      /^x\.yaml:4: .*\n {2}not seen within 20 ms, but \{"battery":100\}/,
    ],
    [['pay: "1"\n    bill: refused'], /^x\.yaml:3: .*\n {2}it was refused: \{"code":40019\}\./],
    [
      ['pay: "1"\n    bill: refused\n    fails: 40001'],
      /^x\.yaml:3: .*\n {2}it was not refused with 40001: it was refused: \{"code":40019\}\./,
    ],
    [
      ['expect: connected', 'pay: "1"\n    fails: 40001'],
      /^x\.yaml:4: .*\n {2}it was not refused with 40001: it was done\./,
    ],
    [
      ['expect: connected', 'pay: "1"', 'stage: played\n    within: 20ms'],
      /^x\.yaml:5: .*\n {2}the announcement is sent after 20 ms\./,
    ],
    [['stage: played'], /^x\.yaml:3: .*\n {2}there is no payment yet: add a step `pay` before\./],
    [['register: Phở'], /^x\.yaml:3: .*\n {2}the hub reports a code, but the speaker shows none\./],
  ])('ends at the first failed step: %j', async (steps, message) => {
    const { outcome, said, progress } = await play(...steps, 'wait: 1m')
    expect(outcome.ok).toBe(false)
    expect(said).toMatch(message)
    expect(progress.at(-1)).toMatch(/failed$/)
  })

  it('reports the events since and before the last match', async () => {
    const { said } = await play('expect: connected', 'pay: "1000"', 'expect: identify\n    within: 300ms')
    const [since = '', before = ''] = said.split('Before it:')
    expect(since).toMatch(/\+ +\d+\.\d\d s {2}\{"event":"announce"/)
    expect(before).toMatch(/"event":"connected"/)
  })

  it('ends a screen’s lines with the failed step and the reason', async () => {
    const { onScreen } = await play(
      'expect: connected',
      'pay: "1000"',
      'see: { display: { screen: code, code: "123456" }, settings: { volume: 30, lang: en } }\n    within: 20ms',
    )
    const [step = '', reason = ''] = onScreen.slice(-2)
    expect(step).toMatch(/^✗ line 5: see: .*screen/)
    expect(reason).toMatch(/^not seen within 20 ms, but \{"display": \{"screen"/)
    expect([step, reason].flatMap((line) => wrap(line, 58)).length).toBeLessThanOrEqual(4)
    expect(onScreen.slice(0, -2).join()).toMatch(/^Last seen:,• .*connected/)
  })

  it('performs every action, none before its time', async () => {
    const { outcome, said } = await play(
      'expect: connected',
      'power: off',
      'see: { power: false }',
      'power: on',
      'expect: { event: power, on: true }',
      'expect: connected',
      'network: cut',
      'expect: disconnected',
      'network: plug',
      'expect: connected',
      'press: reconnect',
      'expect: connected',
      'fault: mute',
      'expect: { event: fault, fault: mute, on: true }',
      'repair: mute',
      'volume: 30',
      'language: en',
      'see: { settings: { volume: 30, lang: en }, faults: [] }',
      'press: dismiss',
      'wait: 10ms\n    at: 400ms',
    )
    expect(said).toMatch(/every step passed/)
    expect(outcome.ms).toBeGreaterThanOrEqual(400)
  })

  it.each([
    'wait: 2m',
    'expect: played\n    within: 2m',
    'see: { power: false }\n    within: 2m',
    'stage: played\n    within: 2m',
  ])('ends at once when aborted: %s', async (step) => {
    const over = new AbortController()
    const first = step.startsWith('stage')
      ? 'pay: "1"\n    bill: refused\n    refused: 40019'
      : 'expect: connected'
    const playing = playUntil(over.signal, first, step)
    setImmediate(() => over.abort('It was interrupted.'))
    const { said, outcome } = await playing
    expect(said).toMatch(/^x\.yaml:[346]: .*\n {2}It was interrupted\.\n/)
    expect(outcome.ms).toBeLessThan(120_000)
  })
})
