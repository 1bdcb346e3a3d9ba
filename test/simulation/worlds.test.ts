import { expect, it } from 'vitest'
import { expectToHold } from './held.ts'

/** What must have happened, or the seeds have proven nothing: each at least so often in a hundred worlds. */
const HAPPENS = {
  payments: 200,
  'frames sent': 800,
  'hub kills': 50,
  'speakers: announce': 100,
  'speakers: connected': 200,
  'speakers: disconnected': 80,
  'speakers: missed': 1,
  'announcements: expired': 10,
  'announcements: suppressed': 3,
} as const

it('the first worlds keep every promise, and nearly everything happens in them', async () => {
  const counts = await expectToHold(1, 500)
  for (const [what, per100] of Object.entries(HAPPENS))
    expect(counts.get(what) ?? 0, what).toBeGreaterThanOrEqual(per100 * 5)
})
