import { describe, expect, it } from 'vitest'
import { CLIPS_MS, NETWORKS, outcomeOf } from '../../../protocol/conformance/networks/runs.ts'

const RUNS = 20

describe.each(NETWORKS)('over a network with $name', (network) => {
  it.each(CLIPS_MS)('a right device with clips of %i ms passes every run', async (msPerClip) => {
    const outcome = await outcomeOf(network, msPerClip, RUNS)
    expect(outcome).toMatchObject({ faulty: [], passed: RUNS })
  })
})
