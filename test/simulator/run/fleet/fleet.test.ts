import { expect, it, onTestFinished } from 'vitest'
import { parseKey } from '../../../../protocol/keys.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { BOX_KINDS } from '../../../../simulator/boxes/kinds.ts'
import type { Clock } from '../../../../simulator/platform/clock.ts'
import { steadyLoad } from '../../../../simulator/run/fleet/pay/load.ts'
import { reportOf, summaryOf } from '../../../../simulator/run/fleet/report/figures.ts'
import { reportText } from '../../../../simulator/run/fleet/report/text.ts'
import { shortThreshold } from '../../../../simulator/run/fleet/report/thresholds.ts'
import { createFleet } from '../../../../simulator/run/fleet/run/fleet.ts'
import { type RunOptions, startRun } from '../../../../simulator/run/fleet/run/run.ts'
import { createPartnerClient } from '../../../../simulator/run/hub/partner-client.ts'
import { nextEvent } from '../../../../simulator/run/hub/wait.ts'
import { mintTestBox } from '../../../support/boxes.ts'
import { startTestHub, type TestHub } from '../../../support/hub.ts'
import { randomFrom } from '../../../support/random.ts'
import { FLEET_SCHEMA_TEXT, headlessValidator } from '../../support/headless-validator.ts'
import { asHubClock, startLaggingClock } from '../../support/lagging-clock.ts'

const validate = headlessValidator(FLEET_SCHEMA_TEXT)
const SPEAKERS = 30
const PAYMENTS = 40

/** A hub, and the clock of all. It stands still while the machine is too busy to run this process. */
async function world(env: Record<string, string> = {}) {
  const clock = startLaggingClock()
  onTestFinished(() => clock.stop())
  return { hub: await startTestHub({ clock: asHubClock(clock), env }), clock }
}

/** A partner's client, whose own deadline is in real time. */
async function clientOf(hub: TestHub) {
  const { clientId, clientSecret } = await hub.partner('Fleet')
  const client = createPartnerClient(hub.http, clientId, clientSecret, { answerWithinMs: 600_000 })
  await client.logIn()
  return client
}

async function fleetOf(hub: TestHub, clock: Clock, count: number): Promise<RunOptions> {
  const minted = await Promise.all(Array.from({ length: count }, () => hub.device()))
  const devices = minted.map(({ serial, key }) => ({ serial, key: parseKey(key) ?? Buffer.alloc(0) }))
  return {
    ...{ devices, url: hub.mqtt, connectRate: 100, config: { msPerClip: 4 } },
    ...{ durationMs: undefined, clock, random: Math.random },
  }
}

/** Numbers the payments of a run: FT-FLEET-1, FT-FLEET-2 and so on. */
function ftCodes() {
  const codes: string[] = []
  const newFtCode = () => {
    codes.push(`FT-FLEET-${codes.length + 1}`)
    return codes.at(-1) ?? ''
  }
  return { codes, newFtCode }
}

it('registers shops by the codes on its screens, pays, and hears every payment exactly once', async () => {
  const { hub, clock } = await world({ HUB_RATE_PER_SECOND: '1000', HUB_RATE_BURST: '1000' })
  const client = await clientOf(hub)
  const { codes, newFtCode } = ftCodes()
  const run = startRun({
    ...(await fleetOf(hub, clock, SPEAKERS)),
    pay: { client, load: steadyLoad(100), payments: PAYMENTS, newFtCode },
  })
  await run.ended
  const report = reportOf(run, clock.now())
  expect(report).toMatchObject({
    event: 'report',
    ok: true,
    problems: [],
    speakers: SPEAKERS,
    ramp: { ended: 'complete' },
    mostConnected: SPEAKERS,
    awayS: 0,
    expectations: [
      { expect: 'connected', expected: SPEAKERS, reached: SPEAKERS, ok: true },
      { expect: 'shops', expected: SPEAKERS, reached: SPEAKERS, ok: true },
      { expect: 'rate', expected: 95, reached: 100, ok: true },
      { expect: 'missed', expected: 0, reached: 0, ok: true },
    ],
    links: { connected: SPEAKERS, offline: 0, new: 0 },
    reconnects: 0,
    announced: PAYMENTS,
    connectMs: { count: SPEAKERS },
    pay: {
      ...{ sent: PAYMENTS, answered: PAYMENTS, heard: PAYMENTS, heardOnce: PAYMENTS, heardTwice: 0 },
      ...{ missed: 0, lost: 0, unanswered: 0, open: 0, foreign: 0, asked: PAYMENTS, heldBack: 0 },
      shops: { ready: SPEAKERS, missing: 0 },
      answerMs: { count: PAYMENTS },
      speechMs: { count: PAYMENTS },
    },
  })
  // The fleet's sentences match the hub's records.
  const stages = await Promise.all(codes.map((ftCode) => client.stages(ftCode)))
  expect(stages.flat().map(({ stage }) => stage)).toEqual(Array(PAYMENTS).fill('played'))
  expect(Object.keys(summaryOf(run, clock.now()))).toContain('rssBytes')
})

it('pays speakers and boxes of all kinds, each registered by what it shows, says or has on its label', async () => {
  const env = {
    HUB_BOX_PORT: '0',
    HUB_BOX_HOST: '127.0.0.1',
    HUB_RATE_PER_SECOND: '1000',
    HUB_RATE_BURST: '1000',
  }
  const { hub, clock } = await world(env)
  const client = await clientOf(hub)
  const { newFtCode } = ftCodes()
  const { devices: speakers, ...options } = await fleetOf(hub, clock, 4)
  const ids = createRandomIds()
  const boxes = BOX_KINDS.map(async (dialect, index) => {
    const serial = `FLBOX-${index}`
    const { password, productKey, label } = await mintTestBox(hub.storage, ids, dialect, serial, clock.now())
    return { serial, box: { dialect, serial, password, productKey, label } }
  })
  const run = startRun({
    ...options,
    ...{ devices: [...speakers, ...(await Promise.all(boxes))], boxUrl: hub.box ?? '' },
    pay: { client, load: steadyLoad(20), payments: 30, newFtCode },
  })
  await run.ended
  const report = reportOf(run, clock.now())
  expect(report).toMatchObject({
    ok: true,
    problems: [],
    links: { connected: 10 },
    pay: { shops: { ready: 10 } },
  })
  const { heardOnce, dialects = {} } = report.pay ?? {}
  expect(heardOnce).toBe(30)
  const sent = Object.values(dialects).reduce((sum, one) => sum + one.sent, 0)
  expect(sent).toBe(30)
  for (const totals of Object.values(dialects))
    expect(totals).toMatchObject({ heardOnce: totals.sent, heardTwice: 0, missed: 0, silent: 0, late: 0 })
  expect(reportText(report)).toMatch(/\n {2}sb\/1 +\d+ sent, /)
  expect(validate(report)).toBe(true)
})

it('fails and names each payment that a muted speaker did not say, soon after the last payment', async () => {
  const { hub, clock } = await world({ HUB_RATE_PER_SECOND: '1000', HUB_RATE_BURST: '1000' })
  const client = await clientOf(hub)
  const { newFtCode } = ftCodes()
  const run = startRun({
    ...(await fleetOf(hub, clock, 2)),
    conditions: { faults: { mute: 0.5 }, networks: {} },
    // Payments that begin with the ramp, before the fault, are heard.
    pay: { client, load: steadyLoad(50), payments: 40, newFtCode },
  })
  const [muted] = run.fleet.speakers
  await run.ended
  const report = reportOf(run, clock.now())
  const { missed, heard } = Object(report.pay)
  expect(missed).toBeGreaterThan(0)
  expect(report.conditions).toEqual({ mute: 1 })
  expect({ ok: report.ok, unheard: 40 - heard }).toEqual({ ok: false, unheard: missed })
  expect(report.problems).toEqual([
    expect.stringMatching(/^\d+ of 40 payments were missed .*--expect-missed is 0 % or less$/),
  ])
  expect(report.failures).toHaveLength(missed)
  for (const failure of report.failures ?? [])
    expect(failure).toMatchObject({
      ...{ outcome: 'missed', ftCode: expect.stringMatching(/^FT-FLEET-\d+$/) },
      ...{ serial: muted?.serial, why: 'the hub says: failed, muted' },
    })
})

it('pays bills, shows QRs, repeats callbacks, and has wrong checksums refused', async () => {
  const { hub, clock } = await world({ HUB_RATE_PER_SECOND: '1000', HUB_RATE_BURST: '1000' })
  const client = await clientOf(hub)
  const { newFtCode } = ftCodes()
  const mix = { bill: 0.25, qr: 0.25, repeat: 0.25, 'wrong-checksum': 0.25 }
  const run = startRun({
    ...(await fleetOf(hub, clock, 10)),
    random: randomFrom(1),
    pay: { client, load: steadyLoad(100), mix, payments: 40, newFtCode },
  })
  await run.ended
  const report = reportOf(run, clock.now(), [shortThreshold('rate', 0)])
  expect(report).toMatchObject({ ok: true, problems: [] })
  const pay = Object(report.pay)
  expect(pay.sent + pay.wrongChecksums).toBe(40)
  expect(pay).toMatchObject({
    ...{ answered: pay.sent, heardOnce: pay.sent, foreign: 0, qrsRefused: 0, repeatsRefused: 0 },
    ...{ wrongAccepted: 0, qrsUnseen: 0, qrMs: { count: pay.qrs } },
  })
  for (const kind of ['bills', 'qrs', 'repeats', 'wrongChecksums']) expect(pay[kind]).toBeGreaterThan(0)
})

it('reports a failed run when no speaker was ever welcomed', async () => {
  const { hub, clock } = await world()
  const options = await fleetOf(hub, clock, 2)
  await hub.stop()
  // Nobody ends this run, and it has no end of its own.
  const run = startRun({ ...options, patienceMs: 200 })
  await run.ended
  expect(reportOf(run, clock.now())).toMatchObject({
    ok: false,
    problems: [
      '0 of 2 speakers were connected at the end, 0 at the most; --expect-connected is 2 or more',
      'the run ended because no speaker was welcomed for 0.2 s',
      'none of 2 speakers was ever welcomed',
    ],
    ramp: { ended: 'stalled' },
    connectMs: null,
  })
})

it('counts the duration from the end of the ramp', async () => {
  const { hub, clock } = await world()
  const run = startRun({ ...(await fleetOf(hub, clock, 5)), durationMs: 1 })
  await run.ended
  expect(reportOf(run, clock.now())).toMatchObject({
    ...{ ok: true, ramp: { ended: 'complete' }, links: { connected: 5 }, mostConnected: 5 },
  })
})

it('leaves no timer behind when it ends, although a screen shows something that expires later', async () => {
  const { hub, clock } = await world()
  const client = await clientOf(hub)
  const pending = new Set<object>()
  const counted: Clock = {
    now: () => clock.now(),
    wakeAt(atMs, wake) {
      const timer = {}
      pending.add(timer)
      const cancel = clock.wakeAt(atMs, () => {
        pending.delete(timer)
        wake()
      })
      return () => {
        pending.delete(timer)
        cancel()
      }
    },
  }
  const fleet = createFleet(await fleetOf(hub, counted, 1))
  const [speaker] = fleet.speakers
  if (!speaker) throw new Error('the fleet has a speaker')
  const connected = nextEvent(speaker, 'connect', (it) => (it.event === 'connected' ? it : undefined))
  const shown = nextEvent(speaker, 'show a code', (it) => (it.event === 'code' ? it.code : undefined))
  fleet.start()
  await connected
  await client.sendVerification(speaker.serial)
  await shown
  expect(pending.size).toBeGreaterThan(0)
  await fleet.stop()
  await fleet.cut()
  expect(pending.size).toBe(0)
})
