import { expect, it } from 'vitest'
import { loadCases } from '../../../../protocol/conformance/case/load.ts'
import { faulty, runKit } from '../../../protocol/conformance/support/run-kit.ts'

const CASES = loadCases().filter(({ steps, slow }) => steps && !slow)
const AREAS = [...new Set(CASES.map(({ area }) => area))]
/** Short sentences have more often ended when a late segment arrives. */
const CLIP_MS = 100

/** Each segment is the late one once: what is rare in the runs over whole networks is not left to chance. */
it.each(AREAS)('a right device fails no case of %s with any one segment 1 s late', async (area) => {
  for (const { id } of CASES.filter((one) => one.area === area)) {
    let sent = 0
    for (let late = 0; late <= sent; late += 1) {
      sent = 0
      const random = () => {
        sent += 1
        return sent === late ? 0 : 1
      }
      const over = { eachWayMs: 0, lateShare: 0.5, lateMs: 1_000, random }
      const report = await runKit({ only: [id], mutation: { config: { msPerClip: CLIP_MS } }, over })
      expect(faulty(report), `${id}, segment ${late}`).toEqual([])
    }
  }
})
