import type { Store, StoreChange } from './store.ts'

export type StoreUpdate =
  | { kind: 'updated'; store: Store; deviceIds: string[] }
  | { kind: 'not_found' }
  | { kind: 'terminal_taken' }

/** The stored stores. Each is visible to its own partner only. */
export interface StoreRecords {
  find(clientId: string, storeId: string): Promise<Store | undefined>
  /** Applies a change; `deviceIds` are the speakers whose idle screens show the store. */
  update(clientId: string, storeId: string, change: StoreChange, at: number): Promise<StoreUpdate>
}
