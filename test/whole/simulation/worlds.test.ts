import { it } from 'vitest'
import { expectToHold } from '../../simulation/held.ts'

/** A file of its own, because files run side by side. */
it('the next worlds keep every promise', { timeout: 600_000 }, async ({ annotate }) => {
  const { worlds } = await expectToHold(1_001, { fewest: 60, most: 1_000, withinMs: 120_000 })
  await annotate(`${worlds} worlds`)
})
