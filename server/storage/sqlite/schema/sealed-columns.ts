import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { SEALED as BY_NAME, type SealedField, type SealedTable } from '../../shared/sealed-columns.ts'
import * as schema from './schema.ts'

/** The sealed columns in the tables of schema.ts. A rotation of the master key reseals them in the order of `key`. */
export const SEALED = {
  vaultCanary: sealedIn('vaultCanary', schema.vaultCanary),
  partnerSecrets: sealedIn('partnerSecrets', schema.partnerSecrets),
  users: sealedIn('users', schema.users),
  stores: sealedIn('stores', schema.stores, 'number'),
  devices: sealedIn('devices', schema.devices, 'number'),
  deviceRekeys: sealedIn('deviceRekeys', schema.deviceRekeys),
  bills: sealedIn('bills', schema.bills),
  payments: sealedIn('payments', schema.payments, 'number'),
  deletedPayments: sealedIn('deletedPayments', schema.deletedPayments, 'number'),
  idempotencyKeys: sealedIn('idempotencyKeys', schema.idempotencyKeys),
  webhooks: sealedIn('webhooks', schema.webhooks),
  deliveries: sealedIn('deliveries', schema.deliveries),
}

function sealedIn<N extends SealedTable, T extends SQLiteTable>(
  name: N,
  table: T & { $inferSelect: Record<SealedField<N>, Buffer> },
  key = 'id',
) {
  const fields: readonly SealedField<N>[] = BY_NAME[name].fields
  return { table, fields, key }
}
