import type { CredentialsRow } from '../../shared/device-mapping.ts'
import type { OpenDatabase } from '../engine/database.ts'

export function createReadCredentials({ sqlite, reading }: Pick<OpenDatabase, 'sqlite' | 'reading'>) {
  // No join: with one, SQLite takes three times as long, measured, for the same look-ups.
  const next = (column: string) => `(SELECT r.${column} FROM device_rekeys r WHERE r.id = devices.id)`
  const read = sqlite.prepare<[serial: string], CredentialsRow>(
    `SELECT id AS deviceId, key, login_hash AS loginHash, revoked_at AS revokedAt,
       ${next('key')} AS nextKey, ${next('login_hash')} AS nextLoginHash
     FROM devices WHERE serial = ? AND wire_id IS NULL`,
  )
  return reading((serial: string) => read.get(serial))
}
