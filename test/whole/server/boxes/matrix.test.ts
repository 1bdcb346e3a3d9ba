import { describe, expect, it } from 'vitest'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { expected, FAULTS, KINDS, seen } from '../../../server/boxes/matrix.ts'
import { startTestPostgres } from '../../../support/postgres.ts'

const found = await startTestPostgres()

describe.skipIf(!found)('on PostgreSQL', () => {
  if (!found) return
  const { database, open } = found

  /** Opens the storage of each hub on one new database. */
  async function newDatabase() {
    const url = await database()
    return () => open(url, { hub: createRandomIds().uuid() })
  }

  // With two hubs the payment comes to one; the box is at the other, and changes the hub.
  describe.each([1, 2] as const)('with hubs: %d', (hubs) => {
    describe.each(FAULTS)('%s', (fault) => {
      it.each(KINDS)('%s', async (kind) => {
        expect(await seen(kind, fault, { open: await newDatabase(), hubs })).toEqual(expected(kind, fault))
      })
    })
  })
})
