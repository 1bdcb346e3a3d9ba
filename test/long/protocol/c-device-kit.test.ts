import { describe, expect, it } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { missingForC } from '../../protocol/c/build.ts'
import { idsIn, runKit } from '../../protocol/c/kit.ts'
import { NOT_FOR_A_WHOLE_DEVICE, sharesOf } from '../../protocol/c/shares.ts'

/** Runs of a case that a busy machine is too slow to decide. */
const TRIES = 4

describe.skipIf(missingForC() !== undefined)('the device in C at the conformance kit', () => {
  it('passes every case, with a rig for its power, its screen and its sound, under the sanitizers', async (context) => {
    const all = loadCases()
    const skipped = NOT_FOR_A_WHOLE_DEVICE
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
