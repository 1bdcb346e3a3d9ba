import { expect, it } from 'vitest'
import { SEED } from '../support/seed.ts'
import { runClockWorlds } from './clock-held.ts'

const WORLDS = 2
/** The seeds prove nothing unless these happen. */
const HAPPENS = ['payments', 'clock steps']

// test/whole/simulation/worlds.test.ts runs those that follow.
it(`a clock that is set: ${WORLDS} worlds from seed ${SEED} keep every promise`, {
  timeout: 300_000,
}, async () => {
  const { failure, counts } = await runClockWorlds(SEED, WORLDS)
  expect(failure).toBeUndefined()
  for (const what of HAPPENS) expect(counts.get(what), what).toBeGreaterThan(0)
})
