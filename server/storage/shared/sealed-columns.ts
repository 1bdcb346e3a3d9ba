import type { QrRecord } from '../../payments/bill.ts'
import type { Vault } from '../../security/vault.ts'

/**
 * All sealed columns, by table. Every storage has the same tables and places, and every seal and every opening goes
 * through this list. So no column can be forgotten, and a sealed value can be copied from one storage to another.
 */
export const SEALED = {
  vaultCanary: { table: 'vault_canary', key: 'id', fields: ['sealed'] },
  partnerSecrets: { table: 'partner_secrets', key: 'id', fields: ['sealed'] },
  users: { table: 'users', key: 'id', fields: ['phone'] },
  stores: {
    table: 'stores',
    key: 'number',
    fields: [
      ...(['ownerName', 'identityNumber', 'bankAccountNumber', 'bankAccountName'] as const),
      ...(['phoneNumber', 'staticQRCode'] as const),
    ],
  },
  devices: { table: 'devices', key: 'number', fields: ['key'] },
  deviceRekeys: { table: 'device_rekeys', key: 'id', fields: ['key'] },
  bills: { table: 'bills', key: 'id', fields: ['qrcode'] },
  payments: { table: 'payments', key: 'number', fields: ['sealed'] },
  deletedPayments: { table: 'deleted_payments', key: 'number', fields: ['contentHash'] },
  idempotencyKeys: { table: 'idempotency_keys', key: 'id', fields: ['sealed'] },
  webhooks: { table: 'webhooks', key: 'id', fields: ['url', 'secrets'] },
  deliveries: { table: 'deliveries', key: 'id', fields: ['attempts'] },
  bankAccounts: { table: 'bank_accounts', key: 'id', fields: ['account'] },
  statementRows: { table: 'statement_rows', key: 'id', fields: ['narrative'] },
} as const satisfies Record<string, Omit<SealedColumns, 'name' | 'columns' | 'hashed'>>

/** The tables with a keyed hash of a sealed field, by which a partner's row is found: in the column `<field>_hash`. */
const HASHED: Readonly<Partial<Record<SealedTable, string>>> = { users: 'phone', bankAccounts: 'account' }

/** A table with sealed columns, for acts that go through all of its rows. */
export interface SealedColumns {
  name: string
  table: string
  /** The unique column by which its rows are read page by page. */
  key: 'number' | 'id'
  /** The fields of the places, and their columns in the same order. */
  fields: readonly string[]
  columns: readonly string[]
  /** Of these fields, the one with a keyed hash. The row has its partner in `client_id`. */
  hashed: string | undefined
}

export const SEALED_TABLES = Object.entries(SEALED).map(
  ([name, { table, key, fields }]): SealedColumns => ({
    name,
    table,
    key,
    fields,
    columns: fields.map(columnOf),
    // The names are those of the tables.
    hashed: HASHED[name as SealedTable],
  }),
)

/** `staticQRCode` is static_qr_code. */
function columnOf(field: string): string {
  return field.replace(/[A-Z]+(?=[A-Z][a-z])|[A-Z]/g, (letters) => `_${letters.toLowerCase()}`)
}

export type SealedTable = keyof typeof SEALED
export type SealedField<T extends SealedTable> = (typeof SEALED)[T]['fields'][number]

/** The place of a value. A sealed value opens only at its own place. */
export function placeOf(table: string, id: string | number, field: string): string {
  return `${table}/${id}/${field}`
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
  const { table, fields }: { table: string; fields: readonly Field[] } = SEALED[name]
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

/**
 * The personal data of a payment, sealed as one value because each seal costs time: the first answer, which holds the
 * store's account; the bank's notice, which often holds names and accounts; and the hash of the content, from which
 * short notices could be guessed.
 */
export interface SealedPayment {
  answer: QrRecord
  notice: string
  /** Hexadecimal. */
  contentHash: string
}

export function createPaymentSealer(vault: Vault) {
  const sealed = sealedFields(vault, 'payments')
  return {
    seal: (id: string, content: SealedPayment): Buffer => sealed.seal(id, 'sealed', JSON.stringify(content)),
    open(id: string, value: Buffer): SealedPayment {
      // The vault opens only values that it has sealed: this one comes from `seal`, or from migration 0001.
      return JSON.parse(sealed.read(id, 'sealed', value)) as SealedPayment
    },
  }
}

/** The keyed hash that finds a partner's row by a sealed value. */
export function hashOf(vault: Vault, table: string, clientId: string, field: string, value: string): Buffer {
  return vault.fingerprint(purposeOf(table, clientId, field), value)
}

/** The hash under each master key, the one that seals first. */
function hashesOf(vault: Vault, table: string, clientId: string, field: string, value: string) {
  return vault.fingerprints(purposeOf(table, clientId, field), value)
}

/** The keyed hash that finds a partner's user by phone number. */
export const phoneHash = (vault: Vault, clientId: string, phoneNumber: string) =>
  hashOf(vault, 'users', clientId, 'phone', phoneNumber)

/** The hash under each master key, the one that seals first. */
export const phoneHashes = (vault: Vault, clientId: string, phoneNumber: string) =>
  hashesOf(vault, 'users', clientId, 'phone', phoneNumber)

/** As `phoneHashes`, of the number of a partner's bank account. */
export const accountHashes = (vault: Vault, clientId: string, account: string) =>
  hashesOf(vault, 'bank_accounts', clientId, 'account', account)

function purposeOf(table: string, clientId: string, field: string): string {
  return `${table}/${clientId}/${field}`
}
