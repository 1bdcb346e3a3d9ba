import { expect, it } from 'vitest'
import { expectToHold } from '../../simulation/held.ts'
import { SEED } from '../../support/seed.ts'

const WORLDS = 500
/** Worlds before these are run by test/simulation and test/whole/simulation. */
const FROM = SEED + 100

/** The seeds prove nothing unless these happen: each at least twice as often in a hundred worlds. */
const HAPPENS = {
  payments: 100,
  'frames sent': 400,
  'hub kills': 20,
  'speakers: announce': 50,
  'speakers: connected': 100,
  'speakers: disconnected': 35,
  'speakers: missed': 5,
  'announcements: expired': 2.5,
  'announcements: suppressed': 2.5,
  'hubs frozen': 5,
  'hubs cut off': 1,
  'hubs joined': 2,
  'hubs drained': 2,
  'storage lost': 3,
  'outcomes unknown': 3,
  'webhooks confirmed': 200,
  'webhooks failed': 40,
  'wake-ups: news': 80,
  'wake-ups: owner': 10,
  'wake-ups: missed': 25,
  'wake-ups: screen': 10,
  'wake-ups lost': 80,
  'wake-ups forged': 10,
} as const

it(`${WORLDS} worlds from seed ${FROM} keep every promise, and nearly everything happens in them`, async () => {
  const counts = await expectToHold(FROM, WORLDS)
  for (const [what, per100] of Object.entries(HAPPENS))
    expect((100 * (counts.get(what) ?? 0)) / WORLDS, what).toBeGreaterThan(per100)
})
