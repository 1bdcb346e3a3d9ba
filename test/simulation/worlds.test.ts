import { expect, it } from 'vitest'
import { SEED } from '../support/seed.ts'
import { expectToHold } from './held.ts'

const WORLDS = 40
/** The seeds prove nothing unless these happen. test/whole/simulation expects how often. */
const HAPPENS = [
  ...['payments', 'frames sent', 'hub kills', 'speakers: announce', 'speakers: disconnected'],
  ...['hubs frozen', 'wake-ups: news', 'wake-ups: owner', 'wake-ups lost'],
]

it(`${WORLDS} worlds from seed ${SEED} keep every promise`, { timeout: 600_000 }, async () => {
  const counts = await expectToHold(SEED, WORLDS)
  for (const what of HAPPENS) expect(counts.get(what), what).toBeGreaterThan(0)
})
