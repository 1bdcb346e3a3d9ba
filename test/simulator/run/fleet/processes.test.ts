import { expect, it } from 'vitest'
import { mergeSummaries } from '../../../../simulator/run/fleet/merge/merge.ts'
import { steadyLoad } from '../../../../simulator/run/fleet/pay/load.ts'
import { splitPart } from '../../../../simulator/run/fleet/processes/part.ts'
import { partSummary } from '../../../../simulator/run/fleet/processes/source.ts'
import { summaryOf } from '../../../../simulator/run/fleet/report/figures.ts'
import { FLEET_SCHEMA_TEXT, headlessValidator } from '../../support/headless-validator.ts'
import { WoundClock } from '../../support/wound-clock.ts'
import { sentence, standInRun } from './stand-in.ts'

const validate = headlessValidator(FLEET_SCHEMA_TEXT)

it('splits a fleet into parts without losing a device, a payment, or a part of the rate', () => {
  const devices = Array.from({ length: 10 }, (_, index) => ({ serial: `S-${index}`, key: Buffer.alloc(32) }))
  const parts = splitPart(
    {
      ...{ devices, url: 'mqtt://127.0.0.1', connectRate: 100, durationMs: undefined, patienceMs: undefined },
      boxUrl: 'mqtt://127.0.0.1',
      conditions: { faults: {}, networks: {} },
      pay: {
        ...{ http: 'http://127.0.0.1', partner: { clientId: '', clientSecret: '' } },
        ...{ load: steadyLoad(50), mix: {}, payments: 8 },
      },
    },
    3,
  )
  expect(parts.map((part) => part.devices.length)).toEqual([3, 3, 4])
  expect(parts.flatMap((part) => part.devices)).toEqual(devices)
  expect(parts.map(({ pay }) => pay?.payments)).toEqual([2, 3, 3])
  expect(parts.map(({ pay }) => pay?.load.first)).toEqual([15, 15, 20])
  expect(parts.map(({ connectRate }) => connectRate)).toEqual([30, 30, 40])
})

it('shows several processes as one fleet', () => {
  const clock = new WoundClock()
  const runs = [2, 3].map((count) => standInRun(count, clock, { pays: true }))
  for (const [index, run] of runs.entries()) {
    run.pay?.ledger.sent('FT1', 0, '50000', clock.now())
    run.pay?.ledger.heard(0, sentence('50000', clock.now() + 100 * (index + 1)))
  }
  Object.assign(runs[1] ?? {}, {
    phase: 'connecting',
    away: { speakersSinceMs: 5, apiFailure: '' },
    awayMs: 3_000,
  })
  const parts = runs.flatMap((run) => {
    const part = partSummary(run, clock.now())
    return part.kind === 'summary' ? [part] : []
  })
  const merged = mergeSummaries(parts)
  expect(merged).toMatchObject({
    ...{ phase: 'connecting', speakers: 5, links: { connected: 5 }, paymentsPerS: 40, awayS: 3 },
    ...{ pay: { sent: 2, heardOnce: 2, speechMs: { count: 2, max: 200 } }, stage: null },
    away: { noSpeakerSince: '1970-01-01T00:00:00.005Z', noAnswerSince: null },
  })
  expect(validate(merged) || validate.errors).toBe(true)
  expect(Object.keys(merged).sort()).toEqual(
    Object.keys(summaryOf(standInRun(1, clock, { pays: true }), 0)).sort(),
  )
})
