import type { Page, PageRequest, Placed } from '../platform/page.ts'
import type { Actor } from '../security/actor.ts'
import type { Store, StoreChange } from './store.ts'

export type StoreUpdate =
  | { kind: 'updated'; store: Store; deviceIds: string[] }
  | { kind: 'not_found' }
  | { kind: 'terminal_taken' }

/** The stored stores. A partner sees and changes its own alone. */
export interface StoreRecords {
  find(clientId: string, storeId: string): Promise<Store | undefined>
  /** Applies a change; `deviceIds` are the speakers whose idle screens show the store. */
  update(by: Actor, storeId: string, change: StoreChange, at: number): Promise<StoreUpdate>
  /** Writes the words of the next shops that are new or renamed, for `named`. Returns whether there may be more. */
  indexNames(): Promise<boolean>
}

/** A store with its speakers, as a list shows it. */
export interface StoreReport {
  store: Store
  createdAt: number
  serials: string[]
}

/** Which stores a list has; what is left out does not matter. */
export interface StoreFilter {
  clientId?: string | undefined
  terminalID?: string | undefined
  /** A part of its name, without regard to case and Vietnamese marks. */
  storeName?: string | undefined
}

/** Lists of stores, for people and for partners. */
export interface StoreLists {
  page(filter: StoreFilter, page: PageRequest): Promise<Page<StoreReport>>
  /** The stores with these numbers (StoreSum), the highest first. Each cursor is the number. */
  ofNumbers(storeNumbers: readonly number[]): Promise<(StoreReport & Placed)[]>
  /**
   * Finds shops by an index: those with this terminalID, or else those of whose name each given word is the beginning of a
   * word, without regard to case and Vietnamese marks. Of words that hundreds of shops have, some may be left out.
   */
  named(text: string, which: { clientId?: string | undefined; limit: number }): Promise<StoreReport[]>
}
