import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { StoreRecords } from './ports.ts'
import type { Store, StoreChange } from './store.ts'

/** Changes a partner's store, and shows the change on the idle screens of its speakers. */
export function updateStore(deps: {
  stores: StoreRecords
  screens: { refresh(deviceId: string): void }
  clock: Clock
}) {
  return async function updateStore(clientId: string, storeId: string, change: StoreChange): Promise<Store> {
    const update = await deps.stores.update(clientId, storeId, change, deps.clock.now())
    switch (update.kind) {
      case 'not_found':
        throw new HubError('STORE_NOT_FOUND')
      case 'terminal_taken':
        throw new HubError('TERMINAL_ID_TAKEN', {
          details: [{ field: 'terminalID', issue: 'belongs to another of your stores' }],
        })
      case 'updated':
        for (const deviceId of update.deviceIds) deps.screens.refresh(deviceId)
        return update.store
    }
  }
}
