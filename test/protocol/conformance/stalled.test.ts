import { expect, it } from 'vitest'
import { profileSchema } from '../../../protocol/conformance/case/profile.ts'
import type { ForbidStep } from '../../../protocol/conformance/case/schema.ts'
import { StandIn } from '../../../protocol/conformance/hub/stand-in.ts'
import { CaseRun } from '../../../protocol/conformance/run/case-run.ts'
import { forbidPacket } from '../../../protocol/conformance/run/expectation.ts'
import { Patience } from '../../../protocol/conformance/run/patience.ts'
import { Watches } from '../../../protocol/conformance/run/watches.ts'
import { KEY, KEYS, SERIAL } from './support/device-under-test.ts'

const FORBID: Omit<ForbidStep, 'moreThan' | 'for'> = { forbid: 'connect', says: {}, has: {}, level: 'must' }
const STORM: ForbidStep = { ...FORBID, moreThan: 2, for: '1s' }

/** A wait in which connections come at these times. The machine stands still, and wakes the kit late. */
async function watch(timesMs: readonly number[], step = STORM, ms = 1_000) {
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
  const run = new CaseRun(
    {
      standIn,
      clock,
      profile,
      operator: {},
      patience: new Patience(standIn.transcript),
      watches: new Watches(),
    },
    { id: 'storm' },
  )
  const found = forbidPacket(run, step, { from: 0, ms })
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

it.each([
  ['after a long wait does not count: its timer was due', '28s', 28_000, 30_000, false],
  ['in a long wait counts', '28s', 28_000, 27_000, true],
  ['after a short wait counts: the machine has read it late', '1s', 1_000, 3_000, true],
] as const)('one packet %s', async (_, duration, ms, atMs, counts) => {
  const found = await watch([atMs], { ...FORBID, moreThan: 0, for: duration }, ms)
  expect(found !== undefined).toBe(counts)
})
