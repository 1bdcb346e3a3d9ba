import type { CredentialsRow } from '../../shared/device-mapping.ts'
import type { PostgresDatabase } from '../engine/database.ts'

export function createReadCredentials({ gathered }: Pick<PostgresDatabase, 'gathered'>) {
  return gathered<string, CredentialsRow | undefined>('devices.credentials', async (query, serials) => {
    const rows = await query<CredentialsRow & { serial: string }>(
      'devices.credentials',
      `SELECT d.serial, d.id AS "deviceId", d.key, d.login_hash AS "loginHash", d.revoked_at AS "revokedAt",
         r.key AS "nextKey", r.login_hash AS "nextLoginHash"
       FROM devices d LEFT JOIN device_rekeys r ON r.id = d.id WHERE d.serial = ANY($1::text[]) AND d.wire_id IS NULL`,
      [serials],
    )
    const found = new Map(rows.map((row) => [row.serial, row]))
    return serials.map((serial) => found.get(serial))
  })
}
