import { expect, it } from 'vitest'
import { Ledger } from '../../../../simulator/run/fleet/model/ledger.ts'
import type { Mix } from '../../../../simulator/run/fleet/pay/kinds.ts'
import { type Load, stagedLoad, steadyLoad } from '../../../../simulator/run/fleet/pay/load.ts'
import { createProcessor, MOST_UNDER_WAY } from '../../../../simulator/run/fleet/pay/processor.ts'
import type { Shop } from '../../../../simulator/run/fleet/pay/shops.ts'
import {
  createPartnerClient,
  type PartnerClient,
  PartnerRefusal,
} from '../../../../simulator/run/hub/partner-client.ts'
import { settle } from '../../../support/clock.ts'
import { randomFrom } from '../../../support/random.ts'
import { WoundClock } from '../../support/wound-clock.ts'

interface Options {
  rate: number
  load?: Load
  mix?: Mix
  client?: Partial<PartnerClient>
  payments?: number
  speakers: number
}

/** A processor with a hub whose answers the test controls. */
function standIn(
  callback: PartnerClient['callback'],
  { rate, load = steadyLoad(rate), client: more = {}, ...options }: Options,
) {
  const clock = new WoundClock()
  const ledger = new Ledger()
  const ready: Shop[] = []
  const client = { ...createPartnerClient('http://127.0.0.1:1', '', ''), callback, ...more }
  let count = 0
  const newFtCode = () => {
    count += 1
    return `FT${count}`
  }
  const processor = createProcessor({
    ...{ client, ledger, clock, newFtCode, payments: undefined, load, ...options },
    ...{ shops: { ready, failed: 0 }, random: randomFrom(1) },
  })
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      for (let tick = 0; tick < 50; tick += 1) clock.wind(20)
      await settle()
    }
  }
  const open = (shops: number) => {
    for (let index = ready.length; index < shops; index += 1)
      ready.push({ speaker: index, terminalID: `T-${index}`, bankCode: 'MB', storeId: 'S' })
  }
  return { processor, ledger, pass, open, clock }
}

it('pays at the requested rate when all are shops, and in proportion before', async () => {
  const { processor, ledger, pass, open } = standIn(async () => 1, { rate: 40, speakers: 4 })
  processor.start()
  await pass(2)
  expect(ledger.totals.sent).toBe(0)
  open(1)
  await pass(1)
  expect(ledger.totals.sent).toBeCloseTo(10, -1)
  const before = ledger.totals.sent
  open(4)
  await pass(10)
  expect(ledger.totals.sent - before).toBeGreaterThanOrEqual(398)
  expect(ledger.totals.sent - before).toBeLessThanOrEqual(402)
  expect(ledger.totals.answered).toBe(ledger.totals.sent)
  processor.stop()
})

it('asks for the whole rate after the ramp, and holds back what is due at a missing shop', async () => {
  const { processor, ledger, pass, open } = standIn(async () => 1, { rate: 100, speakers: 10 })
  open(5)
  processor.start()
  processor.rampIsOver()
  await pass(10)
  processor.stop()
  const { sent } = ledger.totals
  expect(sent + processor.heldBack).toBeGreaterThanOrEqual(998)
  expect(sent + processor.heldBack).toBeLessThanOrEqual(1_000)
  expect(processor.withoutShop).toBe(processor.heldBack)
  // Half of the shops are there, and get no more than their part.
  expect(Math.abs(sent - 500)).toBeLessThan(80)
})

it('makes the requested number of payments, with different amounts per speaker', async () => {
  const { processor, ledger, pass, open } = standIn(async () => 1, { rate: 100, payments: 150, speakers: 1 })
  open(1)
  processor.start()
  await pass(5)
  expect(processor.done).toBe(true)
  expect(ledger.totals).toMatchObject({ sent: 150, answered: 150, open: 150 })
  const amounts = ledger.open().map(({ amount }) => amount)
  expect(new Set(amounts).size).toBe(150)
  for (const amount of amounts) expect(amount).toMatch(/^[1-9][0-9]{1,3}000$/)
})

it('holds payments back while too many callbacks are unanswered', async () => {
  const { processor, ledger, pass, open } = standIn(() => new Promise(() => {}), { rate: 300, speakers: 1 })
  open(1)
  processor.start()
  await pass(2)
  expect(ledger.totals.sent).toBe(MOST_UNDER_WAY)
  expect(processor.underWay).toBe(MOST_UNDER_WAY)
  expect(processor.heldBack).toBeGreaterThan(300)
  processor.stop()
})

it('follows the stages from the end of the ramp on, and what is asked for by hand', async () => {
  const load = stagedLoad(10, [
    { name: 'ramp', from: 10, to: 50, ms: 10_000 },
    { name: 'pause', from: 0, to: 0, ms: 5_000 },
    { name: 'spike', from: 100, to: 100, ms: 5_000 },
  ])
  const { processor, ledger, pass, open } = standIn(async () => 1, { rate: 10, load, speakers: 50 })
  open(50)
  processor.start()
  await pass(2)
  const sentIn = async (seconds: number) => {
    const before = ledger.totals.sent
    await pass(seconds)
    return ledger.totals.sent - before
  }
  expect(ledger.totals.sent).toBeGreaterThanOrEqual(19)
  expect([processor.stage, processor.perSecond]).toEqual([undefined, 10])
  processor.rampIsOver()
  expect(Math.abs((await sentIn(10)) - 300)).toBeLessThan(3)
  expect(processor.stage).toMatchObject({ number: 2, stage: { name: 'pause' } })
  expect(await sentIn(5)).toBeLessThan(3)
  for (const _ of [1, 2, 3]) processor.throttle('faster')
  expect(processor.perSecond).toBeCloseTo(200)
  expect(Math.abs((await sentIn(1)) - 200)).toBeLessThan(6)
  processor.throttle('pause')
  expect(await sentIn(1)).toBeLessThan(3)
  processor.throttle('pause')
  for (const _ of [1, 2, 3]) processor.throttle('slower')
  expect(Math.abs((await sentIn(3)) - 300)).toBeLessThan(6)
  expect(await sentIn(5)).toBeLessThan(3)
  expect([processor.stage, processor.perSecond]).toEqual([undefined, 0])
  processor.stop()
})

it('says when the hub takes a wrong checksum, or does not take a repeat', async () => {
  const sent: string[] = []
  const callback: PartnerClient['callback'] = async ({ ftCode }) => {
    if (sent.includes(ftCode)) throw new PartnerRefusal('POST /x', new Response(null, { status: 400 }), {})
    sent.push(ftCode)
    return 1
  }
  const mix = { 'wrong-checksum': 0.5, repeat: 0.5 }
  const { processor, pass, open } = standIn(callback, { rate: 20, mix, payments: 20, speakers: 1 })
  open(1)
  processor.start()
  await pass(2)
  const { repeats, wrongChecksums } = processor.mix
  expect(repeats + wrongChecksums).toBe(20)
  expect(processor.mix).toMatchObject({ repeatsRefused: repeats, wrongAccepted: wrongChecksums })
})

it('pays by a QR after a speaker has shown it, or after ten seconds without it', async () => {
  const bills: string[] = []
  const client = {
    callback: async () => 1,
    dynamicQr: async ({ billNumber }: { billNumber: string }) => void bills.push(billNumber),
  }
  const options = { rate: 20, mix: { qr: 1 }, payments: 2, speakers: 1, client }
  const { processor, ledger, pass, open, clock } = standIn(client.callback, options)
  open(1)
  processor.start()
  await pass(1)
  expect(bills).toHaveLength(2)
  processor.shown(bills[0] ?? '', clock.now())
  await pass(4)
  expect(ledger.totals.answered).toBe(1)
  await pass(12)
  expect(processor.mix).toMatchObject({ qrs: 2, qrsUnseen: 1, qrsRefused: 0 })
  expect(ledger.times.qr.all.count).toBe(1)
  expect(ledger.totals.answered).toBe(2)
})

it('abandons a payment that is cut before the hub answers 200, and says why', async () => {
  const refusal = new PartnerRefusal('POST /payment/callback', new Response(null, { status: 503 }), {
    code: 50300,
  })
  const { processor, ledger, pass, open } = standIn(() => Promise.reject(refusal), {
    ...{ rate: 50, payments: 1, speakers: 1 },
  })
  open(1)
  processor.start()
  processor.cut()
  expect(ledger.totals.sent).toBe(0)
  processor.start()
  await pass(1)
  expect(ledger.totals).toMatchObject({ sent: 1, answered: 0, unanswered: 1, open: 0 })
  expect(processor.lastFailure).toContain('50300')
})
