import { describe, expect, it } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { missingForC } from '../../protocol/c/build.ts'
import { idsIn, runKit } from '../../protocol/c/kit.ts'

/** A run mostly waits for its device, so several devices have a share of the cases each. */
const SHARES = 8
/** Runs of a case that a busy machine is too slow to decide. */
const TRIES = 4

/** The ids of each share. The rules for every packet belong to all of them. */
function sharesOf(cases: ReturnType<typeof loadCases>): string[][] {
  const rules = cases.filter(({ always }) => always).map(({ id }) => id)
  const acts = cases.filter(({ steps, slow }) => steps && !slow)
  // One device comes back often enough to judge its waits.
  const reconnecting = acts.filter(({ area }) => area === 'reconnection').map(({ id }) => id)
  const others = acts.filter(({ area }) => area !== 'reconnection').map(({ id }) => id)
  const shares = Array.from({ length: SHARES - 1 }, (_, share) =>
    others.filter((_id, place) => place % (SHARES - 1) === share),
  )
  return [reconnecting, ...shares].map((share) => [...share, ...rules])
}

describe.skipIf(missingForC() !== undefined)('the device in C at the conformance kit', () => {
  it('passes every case, with a rig for its power, its screen and its sound, under the sanitizers', async (context) => {
    const all = loadCases()
    // It lacks nothing, and has no clock of its own.
    const absent = ['screen', 'speaker', 'qr', 'vietnamese', 'english'].map((what) => `ack/no-${what}`)
    const ownClock = [
      'expiry/clock-of-welcome-preferred',
      'power/given-up-in-time',
      'held/shorter-sum-of-repeat',
    ]
    const skipped = [...absent, ...ownClock, 'order/no-room', 'power/acks-await-welcome', 'screen/code-goes']
    const run = (only: readonly string[]) => runKit(context, 'screen,speaker,qr,rekey,update,health', only)
    const runs = await Promise.all(sharesOf(all).map(run))
    for (let tries = 1; tries < TRIES; tries += 1) {
      const idsOf = idsIn(runs.flatMap(({ cases }) => cases))
      const settled = [...idsOf('pass'), ...skipped]
      const undecided = idsOf('skip').filter((id) => !settled.includes(id))
      if (undecided.length > 0) runs.push(await run(undecided))
    }
    expect(runs.map(({ errors }) => errors).join('')).toBe('')
    const idsOf = idsIn(runs.flatMap(({ cases }) => cases))
    expect(
      idsOf('fail', 'warn', 'inconclusive', 'not_run', 'error'),
      runs.map(({ stderr }) => stderr).join(''),
    ).toEqual([])
    expect([...idsOf('pass'), ...skipped].sort()).toEqual(
      all.flatMap(({ id, slow }) => (slow ? [] : [id])).sort(),
    )
  })
})
