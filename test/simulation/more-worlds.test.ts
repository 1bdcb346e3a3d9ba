import { it } from 'vitest'
import { expectToHold } from './held.ts'

/** A file of its own, because files run side by side. */
it('more worlds keep every promise', async () => {
  await expectToHold(501, 500)
})
