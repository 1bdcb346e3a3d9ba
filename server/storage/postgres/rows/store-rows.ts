import type { Vault } from '../../../security/vault.ts'
import type { Store } from '../../../stores/store.ts'
import { carryOutAsync } from '../../acts/act.ts'
import { createStoreRows as createActRows } from '../../acts/store-rows.ts'
import type { Tx } from '../engine/database.ts'
import { POSTGRES, runOn } from '../schema/statements.ts'

export type StoreRows = ReturnType<typeof createStoreRows>

/** Reads whole stores, inside the acts of PostgreSQL alone. */
export function createStoreRows(vault: Vault) {
  const { ofDevice } = createActRows({ ...POSTGRES, vault, *raise() {} })
  return {
    /** The stores of a device, in the order in which they were linked. */
    ofDevice: (query: Tx['query'], deviceRowId: number): Promise<Store[]> =>
      carryOutAsync(ofDevice(deviceRowId), runOn(query)),
  }
}
