import { describe, expect, it, onTestFinished } from 'vitest'
import { PartnerRefusal } from '../../../../simulator/run/hub/partner-client.ts'
import { parseScenario } from '../../../../simulator/run/scenario/file/load.ts'
import type { Payment, ScenarioPartner } from '../../../../simulator/run/scenario/play/partner.ts'
import { runScenario } from '../../../../simulator/run/scenario/play/run.ts'
import type { HubControl } from '../../../../simulator/run/scenario/play/world.ts'
import { describeOutcome, reasonOf } from '../../../../simulator/run/scenario/report/describe.ts'
import type { Speaker } from '../../../../simulator/speaker/speaker.ts'
import { announcementOf } from '../../support/announcement.ts'
import type { HubDouble } from '../../support/hub-double.ts'
import { startLaggingClock } from '../../support/lagging-clock.ts'
import { speakerAtDouble } from '../../support/speaker-at-double.ts'

/** Two speakers, each with a double of its own; what a partner is asked for is noted. */
async function play(...steps: string[]) {
  const asked: string[] = []
  const actors = await Promise.all(['counter', 'door'].map(actor))
  const partners = new Map(
    actors.map(({ hub }, index) => {
      const name = index === 0 ? 'ours' : 'theirs'
      return [name, partnerAt(hub, (what) => asked.push(`${name} ${what}`))]
    }),
  )
  const hubs: HubControl = {
    act: async (action, hub) => {
      asked.push(`${action} ${hub}`)
      return action === 'thaw' ? 'hub 1 is up' : undefined
    },
    route: (hub) => void (hub !== undefined && asked.push(`by way of ${hub}`)),
  }
  const clock = startLaggingClock()
  onTestFinished(() => clock.stop())
  const head = 'about: A test.\nspeakers: { counter: {}, door: {} }\npartners: [ours, theirs]\nsteps:\n'
  const scenario = parseScenario('x.yaml', `${head}${steps.map((step) => `  - ${step}\n`).join('')}`)
  const speakers = new Map(actors.map(({ name, speaker }): [string, Speaker] => [name, speaker]))
  const outcome = await runScenario(scenario, { speakers, partners, hubs, clock })
  const reason = outcome.ok ? '' : reasonOf(outcome, scenario)
  return { outcome, asked, reason, said: describeOutcome(scenario, outcome).join('\n') }
}

async function actor(name: string, index: number) {
  const serial = `SPK-TEST-1${index}`
  return { name, ...(await speakerAtDouble({ serial, hub: { serial } })) }
}

function partnerAt(hub: HubDouble, note: (what: string) => void): ScenarioPartner {
  let payments = 0
  return {
    sendCode: async () => note('code'),
    register: async (_serial, shop, { code, till }) => {
      note(`register ${shop} ${code} ${till}`)
      return { storeId: 'store-1', terminalID: 'T-1' }
    },
    showQr: async (amount, bill) => note(`qr ${amount} ${bill}`),
    stage: async ({ ftCode }: Payment) => {
      note(`stage of ${ftCode}`)
      return 'played'
    },
    newPayment: (transactionAmount, billNumber, till) => {
      payments += 1
      return {
        ...{ transactionAmount, billNumber, terminalID: `T-${till}`, bankCode: 'MB', notice: '' },
        ...{ payDate: '2026-11-20T03:00:00.000Z', traceTransfer: '1', ftCode: `FT-${payments}` },
      }
    },
    report: async ({ ftCode, transactionAmount, billNumber, terminalID }) => {
      note(`pay ${ftCode} ${transactionAmount} ${billNumber} ${terminalID}`)
      if (transactionAmount === '0' || terminalID === 'T-closed')
        throw new PartnerRefusal('it', new Response(null), { code: 40001 })
      if (terminalID === 'T-away') throw new TypeError('fetch failed')
      await hub.send('announce', announcementOf(transactionAmount))
    },
  }
}

const CONNECTED = 'expect: connected\n    on: [counter, door]'

describe('a scenario of several', () => {
  it('asks the partner, the speaker and the hub that a step names', async () => {
    const { said, asked } = await play(
      CONNECTED,
      'pay: "1000"\n    by: theirs\n    till: T2\n    via: 1\n    as: first',
      'expect: { event: announce, amount: "1000" }\n    on: door',
      'count: announce\n    is: 0\n    on: counter',
      'pay: "2000"\n    by: ours',
      'stage: played\n    by: ours\n    on: counter',
      'stage: played\n    of: first\n    on: door',
      'again: first\n    amount: "0"\n    refused: 40001',
      'hub: freeze',
    )
    expect(said).toMatch(/every step passed/)
    expect(asked).toEqual([
      ...['by way of 1', 'theirs pay FT-1 1000  T-T2', 'ours pay FT-1 2000  T-'],
      ...['ours stage of FT-1', 'theirs stage of FT-1', 'theirs pay FT-1 0  T-T2', 'freeze 1'],
    ])
  })

  it('fills in the results of earlier steps, with their types', async () => {
    const { said, asked } = await play(
      CONNECTED,
      'pay: "1000"\n    by: ours\n    as: first',
      'expect: { event: announce, amount: "${first.amount}" }\n    on: counter\n    as: said',
      'expect: { event: played, n: "${said.n}" }\n    on: counter',
      'see: { played: "${said.n}" }\n    on: counter\n    as: seen',
      'pay: "${seen.played}000"\n    bill: ${first.ftCode}\n    by: ours',
    )
    expect(said).toMatch(/every step passed/)
    expect(asked.at(-1)).toMatch(/^ours pay FT-2 \d+000 FT-1 /)
  })

  it('fails at a value that a result has not, or that does not fit', async () => {
    const missing = await play(
      CONNECTED,
      'see: { sounding: null }\n    on: door\n    as: seen',
      'pay: ${seen.offlineReason}\n    by: ours',
    )
    expect(missing.reason).toMatch(/^x\.yaml:10: pay: \S+, by: ours: "seen\.offlineReason" has no value$/)
    const unfit = await play(
      CONNECTED,
      'see: { link: welcomed }\n    on: door\n    as: seen',
      'volume: ${seen.link}\n    on: door',
    )
    expect(unfit.reason).toMatch(/^x\.yaml:10: .*: volume: must be a number$/)
  })

  it('reports the events of all speakers', async () => {
    const { said } = await play(
      CONNECTED,
      'pay: "1000"\n    by: ours',
      'expect: announce\n    on: counter',
      'expect: announce\n    on: door\n    within: 20ms',
    )
    expect(said).toMatch(
      /^x\.yaml:11: expect: announce, on: door, within: 20ms\n {2}it did not come within 20 ms\./,
    )
    expect(said.split('At counter:')[0]).not.toContain('"announce"')
    expect(said.split('At counter:')[1]).toContain('{"event":"announce","n":')
    const paying = await play(CONNECTED, 'pay: "1"\n    by: ours\n    till: closed')
    expect(paying.said).toMatch(
      /^x\.yaml:7: .*\n {2}it was refused: .*\nAt counter:\n.*connected.*\nAt door:\n/,
    )
  })

  it('may expect that no hub answers', async () => {
    const { said } = await play(CONNECTED, 'pay: "1"\n    by: ours\n    till: away\n    unanswered: true')
    expect(said).toMatch(/every step passed/)
    const answered = await play(CONNECTED, 'pay: "1"\n    by: ours\n    unanswered: true')
    expect(answered.reason).toMatch(/^x\.yaml:7: .*: it was answered: it was done$/)
    const refused = await play(CONNECTED, 'pay: "1"\n    by: ours\n    till: closed\n    unanswered: true')
    expect(refused.reason).toMatch(/: it was answered: it was refused: /)
  })

  it('fails when a hub does not do what it is told', async () => {
    expect((await play('hub: thaw')).reason).toBe('x.yaml:5: hub: thaw: hub 1 is up')
  })

  it('shows the nearest event, and where it differs', async () => {
    const { said } = await play(
      CONNECTED,
      'pay: "1000"\n    by: ours',
      'expect: { event: announce, amount: "2000" }\n    on: counter\n    within: 300ms',
    )
    expect(said).toMatch(
      / {2}it did not come within 300 ms\.\n {2}The nearest came at \+\d+\.\d\d s: \{.*\}: amount is "1000", not "2000"\.\n/,
    )
  })
})
