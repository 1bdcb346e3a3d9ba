import { describe, expect, it } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { missingForC } from '../../protocol/c/build.ts'
import { idsIn, runKit } from '../../protocol/c/kit.ts'
import { NETWORKS } from '../../protocol/conformance/networks/runs.ts'

const CAPS = 'screen,speaker,qr,rekey,update,health'

/** Over the others a run takes longer, and finds no more. */
const FIRST = NETWORKS.slice(0, 4)

/** test/long/protocol/conformance/networks.test.ts asks the same of the simulated speaker, on a clock that waits for nobody. */
describe.skipIf(missingForC() !== undefined)(
  'the device in C at the conformance kit, over a slow network',
  { concurrent: true },
  () => {
    it.for(FIRST)('passes every case: $name', async (over, context) => {
      const only = loadCases().flatMap(({ id, slow }) => (slow ? [] : [id]))
      const { cases, errors, stderr } = await runKit(context, CAPS, only, { over })
      const idsOf = idsIn(cases)
      expect(errors).toBe('')
      expect(idsOf('fail', 'warn', 'error', 'not_run'), stderr).toEqual([])
      expect(idsOf('pass').length).toBeGreaterThan(150)
    })
  },
)
