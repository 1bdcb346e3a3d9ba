import { HubError } from '../platform/errors.ts'
import type { StoreRecords } from './ports.ts'
import type { Store } from './store.ts'

/** Finds a partner's store. */
export function findStore({ stores }: { stores: Pick<StoreRecords, 'find'> }) {
  return async function findStore(clientId: string, storeId: string): Promise<Store> {
    const store = await stores.find(clientId, storeId)
    if (!store) throw new HubError('STORE_NOT_FOUND')
    return store
  }
}
