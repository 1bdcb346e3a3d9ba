import { expect, it } from 'vitest'
import { expectToHold } from './held.ts'

/** What must have happened, or the seeds have proven nothing: each at least so often in a hundred worlds. */
const HAPPENS = {
  payments: 200,
  'frames sent': 800,
  'hub kills': 40,
  'speakers: announce': 100,
  'speakers: connected': 200,
  'speakers: disconnected': 70,
  'announcements: expired': 5,
  'announcements: suppressed': 5,
} as const

it('the first worlds keep every promise, and nearly everything happens in them', {
  timeout: 600_000,
}, async ({ annotate }) => {
  const { worlds, counts } = await expectToHold(1, { fewest: 60, most: 1_000, withinMs: 120_000 })
  await annotate(`${worlds} worlds`)
  for (const [what, per100] of Object.entries(HAPPENS))
    expect((100 * (counts.get(what) ?? 0)) / worlds, what).toBeGreaterThan(per100 / 2)
})
