import { eq, sql } from 'drizzle-orm'
import type { Speaker } from '../../../devices/device.ts'
import { createBoundedMap } from '../../../platform/bounded-map.ts'
import type { PaidStore } from '../../../stores/store.ts'
import { bareRead } from '../engine/bare.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { tillRevisions } from '../schema/schema.ts'
import type { DeviceRows } from './device-rows.ts'
import type { StoreRows } from './store-rows.ts'

/** Tills that are kept: the shops of a large hub, some 900 bytes each. The one kept longest gives way. */
const KEPT = 100_000
/** As in migration 0007: stores whose numbers end in the same bits share a revision. */
const BUCKETS = 256

/** What a payment needs of the till that it was made at, and the numbers that the storage knows it by. */
export interface Till {
  store: PaidStore
  number: number
  /** Those that are not revoked. */
  speakers: readonly { speaker: Speaker; number: number }[]
}

/**
 * The tills that payments come to, kept in memory: reading one takes two look-ups in large tables and opens three
 * sealed values.
 *
 * Why one is never stale: triggers raise the revision of its bucket with every change of what is kept, whichever process
 * makes it, and that is looked at for each payment, in the transaction that writes the payment. A revision that was
 * taken back can come again for another change, so whatever was read since is forgotten with it.
 * Held by test/server/storage/tills.test.ts and tills-read.test.ts.
 */
export interface Tills {
  /** A partner's till, in the act of a payment; undefined when there is none, which is not kept. */
  of(clientId: string, terminalID: string): Till | undefined
}

export function createTills(
  { orm, commits }: Pick<OpenDatabase, 'orm' | 'commits'>,
  { storeRows, rows }: { storeRows: Pick<StoreRows, 'paid'>; rows: Pick<DeviceRows, 'numberedSpeakersOf'> },
  limit = KEPT,
): Tills {
  const kept = createBoundedMap<Till & { revision: number }>(limit)
  let takenBack = 0
  const columns = { revision: tillRevisions.revision }
  const ofBucket = bareRead(
    orm,
    columns,
    orm
      .select(columns)
      .from(tillRevisions)
      .where(eq(tillRevisions.bucket, sql.placeholder('bucket'))),
  )

  function revisionOf(storeNumber: number): number {
    const row = ofBucket.get({ bucket: storeNumber % BUCKETS })
    if (!row) throw new Error('every bucket has its revision')
    return row.revision
  }

  function read(clientId: string, terminalID: string): Till | undefined {
    const paid = storeRows.paid(clientId, terminalID)
    if (!paid) return undefined
    const speakers = rows.numberedSpeakersOf(paid.number)
    // They are handed to every payment: none may change them for the next.
    for (const { speaker } of speakers) Object.freeze(speaker)
    return { number: paid.number, store: Object.freeze(paid.store), speakers }
  }

  return {
    of(clientId, terminalID) {
      if (commits.takenBack() !== takenBack) {
        takenBack = commits.takenBack()
        kept.clear()
      }
      // The length tells where the terminal ends, whatever is in the two.
      const key = `${terminalID.length} ${terminalID}${clientId}`
      const known = kept.get(key)
      if (known && known.revision === revisionOf(known.number)) return known
      const till = read(clientId, terminalID)
      if (till) kept.set(key, { ...till, revision: revisionOf(till.number) })
      return till
    },
  }
}
