import { expect, it } from 'vitest'
import { parseKey } from '../../../../protocol/keys.ts'
import { systemClock } from '../../../../simulator/platform/clock.ts'
import { reportOf, summaryOf } from '../../../../simulator/run/fleet/report/figures.ts'
import { type RunOptions, startRun } from '../../../../simulator/run/fleet/run/run.ts'
import { createPartnerClient } from '../../../../simulator/run/hub/partner-client.ts'
import { startTestHub, type TestHub } from '../../../support/hub.ts'

const SPEAKERS = 30
const PAYMENTS = 40

async function fleetOf(hub: TestHub, count: number): Promise<RunOptions> {
  const minted = await Promise.all(Array.from({ length: count }, () => hub.device()))
  const devices = minted.map(({ serial, key }) => ({ serial, key: parseKey(key) ?? Buffer.alloc(0) }))
  return {
    ...{ devices, url: hub.mqtt, connectRate: 100, config: { msPerClip: 4 } },
    ...{ durationMs: undefined, clock: systemClock, random: Math.random },
  }
}

it('registers shops by the codes on its screens, pays, and hears every payment exactly once', async () => {
  const hub = await startTestHub({ env: { HUB_RATE_PER_SECOND: '1000', HUB_RATE_BURST: '1000' } })
  const { clientId, clientSecret } = await hub.partner('Fleet')
  const client = createPartnerClient(hub.http, clientId, clientSecret)
  await client.logIn()
  let count = 0
  const newFtCode = () => {
    count += 1
    return `FT-FLEET-${count}`
  }
  const run = startRun({
    ...(await fleetOf(hub, SPEAKERS)),
    pay: { client, rate: 100, payments: PAYMENTS, newFtCode },
  })
  await run.ended
  const report = reportOf(run, systemClock.now())
  expect(report).toMatchObject({
    event: 'report',
    ok: true,
    problems: [],
    speakers: SPEAKERS,
    links: { connected: SPEAKERS, offline: 0, new: 0 },
    reconnects: 0,
    announced: PAYMENTS,
    connectMs: { count: SPEAKERS },
    pay: {
      ...{ sent: PAYMENTS, answered: PAYMENTS, heardOnce: PAYMENTS, heardTwice: 0 },
      ...{ missed: 0, lost: 0, unanswered: 0, open: 0, foreign: 0 },
      answerMs: { count: PAYMENTS },
      speechMs: { count: PAYMENTS },
    },
  })
  // The fleet's sentences match the hub's records.
  const stages = await Promise.all(
    Array.from({ length: count }, (_, n) => client.stages(`FT-FLEET-${n + 1}`)),
  )
  expect(stages.flat().map(({ stage }) => stage)).toEqual(Array(PAYMENTS).fill('played'))
  expect(Object.keys(summaryOf(run, systemClock.now()))).toContain('rssBytes')
})

it('reports a failed run when no speaker was ever welcomed', async () => {
  const hub = await startTestHub()
  const options = await fleetOf(hub, 2)
  await hub.stop()
  const run = startRun({ ...options, durationMs: 200 })
  await run.ended
  expect(reportOf(run, systemClock.now())).toMatchObject({
    ok: false,
    problems: ['none of 2 speakers was ever welcomed'],
    connectMs: null,
  })
})
