import type { Clock } from '../platform/clock.ts'
import { fieldError, HubError } from '../platform/errors.ts'
import type { Cursors } from '../platform/lists/cursors.ts'
import type { Slices } from '../platform/lists/slices.ts'
import { walkList } from '../platform/lists/walk.ts'
import type { Page } from '../platform/page.ts'
import type { Actor } from '../security/actor.ts'
import type { StoreFilter, StoreLists, StoreRecords, StoreReport } from './ports.ts'
import type { Store, StoreChange } from './store.ts'

interface StoreDeps {
  stores: StoreRecords
  lists: StoreLists
  screens: { refresh(deviceId: string): void }
  slices: Slices
  cursors: Cursors
  clock: Clock
}

/** What partners do with their stores. */
export function manageStores(deps: StoreDeps) {
  const { stores, lists, screens, slices, cursors, clock } = deps

  return {
    async findStore(clientId: string, storeId: string): Promise<Store> {
      const store = await stores.find(clientId, storeId)
      if (!store) throw new HubError('STORE_NOT_FOUND')
      return store
    },

    /** The stores that were made last come first. */
    async listStores(
      clientId: string,
      filter: Omit<StoreFilter, 'clientId'>,
      page: { limit: number; cursor?: string | undefined },
    ): Promise<Page<StoreReport>> {
      return walkList({ slices, cursors }, { list: 'stores', clientId, ...page }, (asked) =>
        lists.page({ ...filter, clientId }, asked),
      )
    },

    /** Changes a store, and shows the change on the idle screens of its speakers. */
    async updateStore(by: Actor, storeId: string, change: StoreChange): Promise<Store> {
      const update = await stores.update(by, storeId, change, clock.now())
      if (update.kind === 'not_found') throw new HubError('STORE_NOT_FOUND')
      if (update.kind === 'terminal_taken')
        throw fieldError('TERMINAL_ID_TAKEN', 'terminalID', 'belongs to another of your stores')
      for (const deviceId of update.deviceIds) screens.refresh(deviceId)
      return update.store
    },
  }
}
