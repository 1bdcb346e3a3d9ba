import { expect, it } from 'vitest'
import { SEED } from '../support/seed.ts'
import { expectToHold } from './held.ts'

const WORLDS = 40
/** The seeds prove nothing unless these happen. One of them is missing in about one of a million runs. */
const HAPPENS = [
  ...['payments', 'frames sent', 'hub kills', 'speakers: announce', 'speakers: disconnected'],
  'wake-ups: news',
]

it(`${WORLDS} worlds from seed ${SEED} keep every promise`, { timeout: 600_000 }, async () => {
  const counts = await expectToHold(SEED, WORLDS)
  for (const what of HAPPENS) expect(counts.get(what), what).toBeGreaterThan(0)
})
