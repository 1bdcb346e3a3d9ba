import { expect, it } from 'vitest'
import { profileSchema } from '../../../protocol/conformance/case/profile.ts'
import type { ForbidStep } from '../../../protocol/conformance/case/schema.ts'
import { StandIn } from '../../../protocol/conformance/hub/stand-in.ts'
import { CaseRun } from '../../../protocol/conformance/run/case-run.ts'
import { forbidPacket } from '../../../protocol/conformance/run/expectation.ts'
import { KEY, KEYS, SERIAL } from './support/device-under-test.ts'

const STORM: ForbidStep = {
  ...{ forbid: 'connect', says: {}, has: {}, level: 'must', moreThan: 2, for: '1s' },
}

/** A wait for one second, in which connections come at these times. The machine stands still, and wakes the kit late. */
async function watch(timesMs: readonly number[]) {
  let nowMs = 0
  let end = () => {}
  const clock = {
    now: () => nowMs,
    wakeAt(_: number, wake: () => void) {
      end = wake
      return () => undefined
    },
  }
  const identity = { serial: SERIAL, key: KEY, keys: KEYS }
  const standIn = new StandIn({ identity, clock, lang: () => 'vi' })
  const profile = profileSchema.parse({})
  const run = new CaseRun({ standIn, clock, profile, operator: {} }, { id: 'storm' })
  const found = forbidPacket(run, STORM, { from: 0, ms: 1_000 })
  for (const atMs of timesMs) {
    nowMs = atMs
    standIn.transcript.add({ link: 1, direction: 'up', kind: 'connect' })
  }
  end()
  return found
}

it('counts packets that come within the time of a step', async () => {
  expect(await watch([100, 200, 300])).toMatchObject({ came: '3 times within 0.2 s' })
})

it('does not count packets that come later, while the machine stands still', async () => {
  expect(await watch([100, 200, 3_000, 4_000])).toBeUndefined()
})
