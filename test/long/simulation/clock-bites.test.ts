import { describe, expect, it } from 'vitest'
import { runClockWorlds } from '../../simulation/clock-held.ts'
import { CLOCK_BUGS } from '../../simulation/clock-plants.ts'

/** A bug shows in one of so many worlds, whose seeds are always the same. */
const WITHIN = 12

describe('a planted bug is found', () => {
  it.each(CLOCK_BUGS)('$name', async ({ plants, breaks }) => {
    const { failure } = await runClockWorlds(1, WITHIN, plants)
    expect(failure?.invariant).toBe(breaks)
  })
})
