import { describe, expect, it, onTestFinished } from 'vitest'
import { boxSpeakerOf } from '../../../../simulator/run/hub/box-device.ts'
import { PartnerRefusal } from '../../../../simulator/run/hub/partner-client.ts'
import { parseScenario } from '../../../../simulator/run/scenario/file/load.ts'
import { isBoxHardware } from '../../../../simulator/run/scenario/file/schema.ts'
import type { ScenarioPartner } from '../../../../simulator/run/scenario/play/partner.ts'
import { runScenario } from '../../../../simulator/run/scenario/play/run.ts'
import { describeOutcome, outcomeOnScreen } from '../../../../simulator/run/scenario/report/describe.ts'
import { eventually } from '../../../support/wait.ts'
import { serve } from '../../boxes/broker.ts'
import { startLaggingClock } from '../../support/lagging-clock.ts'
import { mistakesIn } from './mistakes.ts'

const SERIAL = 'BOX-0001'
type Broker = Awaited<ReturnType<typeof serve>>
type Does = Partial<ScenarioPartner>

const file = (dialect: string, ...steps: string[]) =>
  `about: a\nspeaker: { dialect: ${dialect}, msPerClip: 1 }\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`

/** Plays steps on a box at a broker, with a partner that does what a hub would do. */
async function play(
  dialect: string,
  partnerAt: (broker: Broker) => Does,
  steps: string[],
  labels = new Map<string, string>(),
) {
  const broker = await serve()
  const scenario = parseScenario('x.yaml', file(dialect, ...steps))
  const [hardware] = scenario.hardware.values()
  if (!hardware || !isBoxHardware(hardware)) throw new Error('no box')
  const speaker = boxSpeakerOf(
    { dialect: hardware.dialect, serial: SERIAL, password: 'p', productKey: 'pk' },
    { url: broker.url, faults: hardware.faults, config: { wordMs: 1, deadMs: 1 }, random: () => 0 },
  )
  onTestFinished(() => speaker.stop())
  const clock = startLaggingClock()
  onTestFinished(() => clock.stop())
  const partner: ScenarioPartner = {
    sendCode: async () => undefined,
    register: async () => ({ storeId: 'store-1', terminalID: 'T-1' }),
    showQr: async () => undefined,
    stage: async () => 'delivered',
    newPayment: (transactionAmount, billNumber) => ({
      ...{ transactionAmount, billNumber, terminalID: 'T-1', bankCode: 'MB', notice: '' },
      ...{ payDate: '2026-11-20T03:00:00.000Z', traceTransfer: '1', ftCode: 'FT-1' },
    }),
    report: async () => undefined,
    ...partnerAt(broker),
  }
  const outcome = await runScenario(scenario, {
    ...{
      speakers: new Map([['speaker', speaker]]),
      partners: new Map([['partner', partner]]),
      clock,
      labels,
    },
  })
  return {
    outcome,
    said: describeOutcome(scenario, outcome).join('\n'),
    onScreen: outcomeOnScreen(scenario, outcome),
  }
}

/** What a hub sends to a Hemipay box. */
function hemipayHub({ say, published }: Broker): Does {
  let ids = 0
  const send = (packet_type: string, content: object, message_id?: string) => {
    ids += 1
    return say(`/LLZN/${SERIAL}`, { message_id: message_id ?? String(ids), packet_type, content })
  }
  return {
    async showQr(amount, order_id) {
      const { message_id } = await eventually(() => {
        const all = published.map(({ payload }) => Object(JSON.parse(payload)))
        const asked = all.find(({ packet_type }) => packet_type === 'request_payment')
        expect(asked).toBeDefined()
        return asked
      })
      await send('rsp_request_payment', { response_status: 'success' }, message_id)
      const screen_content_config = { wait_payment_screen_qrcode_1_config: { txt: '0002' } }
      const bill = { amount_due: Number(amount), order_id, payment_timeout: 60, screen_content_config }
      await send('wait_payment', bill)
    },
    report: ({ transactionAmount, billNumber }) =>
      send('payment', { play_payment_amount: Number(transactionAmount), order_id: billNumber }),
  }
}

/** What a hub sends to an Alink box. */
const alinkHub = ({ say }: Broker): Does => ({
  report: ({ ftCode, transactionAmount }) =>
    say(`/sys/pk/${SERIAL}/thing/service/SpeechBroadcast`, {
      method: 'thing.service.SpeechBroadcast',
      params: { id: ftCode, speechs: [`{$${transactionAmount}}`] },
    }),
})

describe('a scenario of a box', () => {
  it('goes from the digits of the keypad to the QR and to the payment that is spoken', async () => {
    const { said } = await play('hemipay', hemipayHub, [
      'expect: connected',
      'keys: "50"',
      'key: "000"',
      'key: enter',
      'expect: { event: keyed, amount: "50000" }\n    as: asked',
      'showQr: "50000"\n    bill: K1',
      'expect: { event: answered, id: "${asked.id}", ok: true }',
      'expect: { event: qr, amount: "50000" }\n    as: shown',
      'pay: "50000"\n    bill: ${shown.bill}',
      'expect: { event: cleared, what: qr, why: paid }',
      'expect: { event: announce, amount: "50000" }',
      'expect: played',
      'count: announce\n    is: 1',
      'stage: delivered',
    ])
    expect(said).toMatch(/every step passed/)
  })

  it('breaks and mends the box, its line and its power', async () => {
    const { said } = await play('alink', alinkHub, [
      'expect: connected',
      'fault: forgets-ids',
      'expect: { event: fault, fault: forgets-ids, on: true }',
      'pay: "50000"\n    as: paid',
      'expect: played',
      'again: paid',
      'expect: announce',
      'expect: played',
      'repair: forgets-ids',
      'expect: { event: fault, fault: forgets-ids, on: false }',
      'again: paid',
      'expect: repeat',
      'network: cut',
      'expect: disconnected',
      'network: plug',
      'expect: connected',
      'power: off',
      'expect: { event: power, on: false }',
      'power: on',
      'expect: connected',
    ])
    expect(said).toMatch(/every step passed/)
  })

  it('that fails tells the events of the box', async () => {
    const { said, onScreen } = await play('hemipay', hemipayHub, [
      'expect: connected',
      'keys: "1"',
      'key: enter',
      'expect: keyed',
      'expect: { event: keyed, amount: "2" }\n    within: 20ms',
    ])
    expect(said).toMatch(/^x\.yaml:8: .*\n {2}it did not come within 20 ms\..*\n/)
    expect(said).toMatch(/"event":"keyed","id":"\d{10}","amount":"1"/)
    expect(onScreen.join()).toMatch(/• asks for a bill of/)
  })

  it('waits for the code that is spoken, and asks again while the hub does not know the box yet', async () => {
    let asked = 0
    const codes: string[] = []
    const hub = ({ say }: Broker): Does => ({
      async sendCode() {
        asked += 1
        if (asked < 3) throw new PartnerRefusal('it', new Response(null, { status: 409 }), { code: 40901 })
        const params = { id: 'C', speechs: [...'048213'] }
        await say(`/sys/pk/${SERIAL}/thing/service/SpeechBroadcast`, {
          ...{ method: 'thing.service.SpeechBroadcast', params },
        })
      },
      async register(_, __, { code }) {
        codes.push(code)
        return { storeId: 'store-1', terminalID: 'T-1' }
      },
    })
    const steps = ['expect: connected', 'register: Phở']
    expect((await play('alink', hub, steps)).said).toMatch(/every step passed/)
    expect([asked, codes]).toEqual([3, ['048213']])
    const labels = new Map([['speaker', '123456']])
    expect((await play('ds50', hub, steps, labels)).said).toMatch(/every step passed/)
    expect([asked, codes.at(-1)]).toEqual([3, '123456'])
    asked = 0
    const refused = await play('alink', hub, ['expect: connected', 'code: request\n    refused: 40901'])
    expect([refused.outcome.ok, asked]).toEqual([true, 1])
  })
})

describe('the file of a box', () => {
  it.each([
    ['volume: 30', /^4: step 1, volume: a box of another maker does not have this step$/],
    ['see: { power: true }', /^4: step 1, see: a box of another maker does not have this step$/],
    ['expect: paid', /^4: step 1, expect: there is no event "paid"; /],
    ['expect: { event: announce, clips: "1" }', /^4: step 1, expect\.clips: this event has no field "clips"/],
    ['fault: mute', /^4: step 1, fault: must be one of: no-puback, /],
    ['repair: stals', /^4: step 1, repair: there is no "stals"; did you mean "stalls"\?$/],
    ['keys: 50000', /^4: step 1, keys: write digits in quotes, as "50000"$/],
    ['keys: "5k"', /^4: step 1, keys: keys are 1 to 13 digits$/],
    ['key: entr', /^4: step 1, key: there is no "entr"; did you mean "enter"\?$/],
    [
      'expect: keyed\n    as: asked\n  - pay: ${asked.amuont}',
      /^6: step 2, pay: "asked" has no "amuont"; did you mean "amount"\?$/,
    ],
  ])('is refused: %s', (step, message) => {
    expect(mistakesIn(file('hemipay', step))).toEqual([expect.stringMatching(message)])
  })

  it.each([
    ['{ dialect: hemipai }', /^2: speaker\.dialect: there is no "hemipai"; did you mean "hemipay"\?$/],
    ['{ dialect: alink, caps: [qr] }', /^2: speaker\.caps: unknown field/],
    ['{ dialect: alink, faults: [mute] }', /^2: speaker\.faults\.0: must be one of: no-puback/],
    ['{ language: vi }', /^2: speaker\.language: unknown field/],
  ])('is refused when its speaker is %s', (speaker, message) => {
    const text = `about: a\nspeaker: ${speaker}\nsteps:\n  - expect: connected\n`
    expect(mistakesIn(text)).toEqual([expect.stringMatching(message)])
  })

  it('has speakers of sb/1 beside boxes, each with its own steps and events', () => {
    const two = (...steps: string[]) =>
      `about: a\nspeakers: { counter: { dialect: hemipay }, door: { dialect: sb1 } }\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`
    expect(
      mistakesIn(
        two(
          'keys: "1"\n    on: counter',
          'volume: 3\n    on: door',
          'expect: announce\n    on: [counter, door]',
        ),
      ),
    ).toEqual([])
    expect(mistakesIn(two('keys: "1"\n    on: door', 'expect: keyed\n    on: door'))).toEqual([
      '4: step 1, keys: only a box of another maker has this step: give the speaker a dialect',
      expect.stringMatching(/^6: step 2, expect: there is no event "keyed"/),
    ])
  })
})
