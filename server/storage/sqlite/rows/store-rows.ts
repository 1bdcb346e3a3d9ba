import { and, eq, sql } from 'drizzle-orm'
import type { Vault } from '../../../security/vault.ts'
import type { PaidStore } from '../../../stores/store.ts'
import { createStoreMapping } from '../../shared/store-mapping.ts'
import type { Orm } from '../engine/database.ts'
import { stores } from '../schema/schema.ts'

/** Reads stores, inside the act that records a payment. */
export interface StoreRows {
  /** Reads only what a payment to the partner's terminal needs, and the row id of the store. */
  paid(clientId: string, terminalID: string): { store: PaidStore; storeRowId: number } | undefined
}

export function createStoreRows(orm: Orm, vault: Vault): StoreRows {
  const byTerminal = orm
    .select({
      storeRowId: stores.rowId,
      id: stores.id,
      bankName: stores.bankName,
      bankCode: stores.bankCode,
      bankAccountNumber: stores.bankAccountNumber,
      bankAccountName: stores.bankAccountName,
      staticQRCode: stores.staticQRCode,
    })
    .from(stores)
    .where(
      and(
        eq(stores.clientId, sql.placeholder('clientId')),
        eq(stores.terminalID, sql.placeholder('terminalID')),
      ),
    )
    .prepare()

  const { toPaid } = createStoreMapping(vault)

  return {
    paid(clientId, terminalID) {
      const row = byTerminal.get({ clientId, terminalID })
      if (!row) return undefined
      const { storeRowId, ...store } = row
      return { storeRowId, store: toPaid(store) }
    },
  }
}
