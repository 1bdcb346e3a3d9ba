import { getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Vault } from '../../../security/vault.ts'
import * as schema from './schema.ts'

/**
 * All sealed columns, by the names of schema.ts. Every seal and every opening goes through this list, and a rotation
 * of the master key reseals it in the order of `key`. So no column can be forgotten.
 */
export const SEALED = {
  vaultCanary: sealedIn(schema.vaultCanary, 'sealed'),
  partnerSecrets: sealedIn(schema.partnerSecrets, 'sealed'),
  users: sealedIn(schema.users, 'phone'),
  stores: {
    ...sealedIn(
      schema.stores,
      ...(['ownerName', 'identityNumber', 'bankAccountNumber', 'bankAccountName'] as const),
      ...(['phoneNumber', 'staticQRCode'] as const),
    ),
    key: 'number',
  },
  devices: { ...sealedIn(schema.devices, 'key'), key: 'number' },
  deviceRekeys: sealedIn(schema.deviceRekeys, 'key'),
  bills: sealedIn(schema.bills, 'qrcode'),
  payments: { ...sealedIn(schema.payments, 'sealed'), key: 'number' },
  idempotencyKeys: sealedIn(schema.idempotencyKeys, 'sealed'),
}

export type SealedTable = keyof typeof SEALED
export type SealedField<T extends SealedTable> = (typeof SEALED)[T]['fields'][number]

function sealedIn<T extends SQLiteTable, F extends keyof T['$inferSelect'] & string>(
  table: T,
  ...fields: F[]
) {
  return { table, fields, key: 'id' }
}

/** The place of a value. A sealed value opens only at its own place. */
export function placeOf(table: SQLiteTable, id: string | number, field: string): string {
  return `${getTableName(table)}/${id}/${field}`
}

/** Seals and opens the values of one table, each bound to its place. */
export interface SealedFields<F extends string> {
  seal(id: string | number, field: F, plain: string | Buffer): Buffer
  open(id: string | number, field: F, sealed: Buffer): Buffer
  /** As `open`, for a text. */
  read(id: string | number, field: F, sealed: Buffer): string
  /** The texts of all sealed columns of a row. */
  readAll(row: { id: string | number } & Record<F, Buffer>): Record<F, string>
}

export function sealedFields<T extends SealedTable>(vault: Vault, name: T): SealedFields<SealedField<T>> {
  type Field = SealedField<T>
  const { table, fields }: { table: SQLiteTable; fields: Field[] } = SEALED[name]
  const open = (id: string | number, field: Field, sealed: Buffer) =>
    vault.open(placeOf(table, id, field), sealed)
  const read = (id: string | number, field: Field, sealed: Buffer) => open(id, field, sealed).toString('utf8')
  return {
    seal: (id, field, plain) => vault.seal(placeOf(table, id, field), plain),
    open,
    read,
    readAll(row) {
      const texts = fields.map((field) => [field, read(row.id, field, row[field])])
      return Object.fromEntries(texts) as Record<Field, string>
    },
  }
}

/** The keyed hash that finds a partner's user by phone number. */
export function phoneHash(vault: Vault, clientId: string, phoneNumber: string): Buffer {
  return vault.fingerprint(`users/${clientId}/phone`, phoneNumber)
}
