import { SEALED, type SealedTable } from '../../shared/sealed-columns.ts'

/** A table with sealed columns, as PostgreSQL knows it. */
export interface SealedColumns {
  table: string
  /** The fields of the places, and their columns in the same order. */
  fields: readonly string[]
  columns: readonly string[]
  /** The unique column that pages go by, and a value below all of its values. */
  key: 'number' | 'id'
  keyType: 'bigint' | 'text'
  beforeAll: string
}

const NUMBERED = ['payments', 'deleted_payments', 'stores', 'devices']

/** All but the canary, which changes with the key in force. */
export const SEALED_TABLES: readonly SealedColumns[] = Object.entries<{
  table: string
  fields: readonly string[]
}>(SEALED)
  .filter(([name]) => name !== ('vaultCanary' satisfies SealedTable))
  .map(([, { table, fields }]) => {
    const names = { table, fields, columns: fields.map(columnOf) }
    return NUMBERED.includes(table)
      ? { ...names, key: 'number', keyType: 'bigint', beforeAll: '-1' }
      : { ...names, key: 'id', keyType: 'text', beforeAll: '' }
  })

/** `staticQRCode` is static_qr_code. */
function columnOf(field: string): string {
  return field.replace(/[A-Z]+(?=[A-Z][a-z])|[A-Z]/g, (letters) => `_${letters.toLowerCase()}`)
}
