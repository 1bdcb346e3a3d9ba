import type { Clock } from '../platform/clock.ts'
import { fieldError, HubError } from '../platform/errors.ts'
import type { Actor } from '../security/actor.ts'
import type { StoreRecords } from './ports.ts'
import type { Store, StoreChange } from './store.ts'

/** Changes a store, and shows the change on the idle screens of its speakers. */
export function updateStore(deps: {
  stores: StoreRecords
  screens: { refresh(deviceId: string): void }
  clock: Clock
}) {
  return async function updateStore(by: Actor, storeId: string, change: StoreChange): Promise<Store> {
    const update = await deps.stores.update(by, storeId, change, deps.clock.now())
    switch (update.kind) {
      case 'not_found':
        throw new HubError('STORE_NOT_FOUND')
      case 'terminal_taken':
        throw fieldError('TERMINAL_ID_TAKEN', 'terminalID', 'belongs to another of your stores')
      case 'updated':
        for (const deviceId of update.deviceIds) deps.screens.refresh(deviceId)
        return update.store
    }
  }
}
