import type { Store, StoreChange } from './store.ts'

export type StoreUpdate =
  | { kind: 'updated'; store: Store; deviceIds: string[] }
  | { kind: 'not_found' }
  | { kind: 'terminal_taken' }

/** Stores, each visible to its partner alone. */
export interface StoreRecords {
  find(clientId: string, storeId: string): Promise<Store | undefined>
  /** Applies a change; also names the speakers whose idle screen shows the store. */
  update(clientId: string, storeId: string, change: StoreChange, at: number): Promise<StoreUpdate>
}
