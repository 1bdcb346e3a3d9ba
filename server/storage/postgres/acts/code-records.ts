import type { CodeRecords } from '../../../devices/ports.ts'
import type { CodeQuota, CodesBefore } from '../../../devices/verification-code.ts'
import type { StorageRules } from '../../rules.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'
import { lockDeviceById } from '../rows/device-rows.ts'

export function createCodeRecords(
  { read, write, audit }: PostgresDatabase,
  { countCode, codesPerDevice }: Pick<StorageRules, 'countCode' | 'codesPerDevice'>,
): CodeRecords {
  async function before(query: Tx['query'], clientId: string, deviceId: string): Promise<CodesBefore> {
    const [[own], newest] = await Promise.all([
      query<CodeQuota>(
        'codes.quota',
        `SELECT period_started_at AS "periodStartedAt", issued FROM verification_quotas
         WHERE device_id = $1 AND client_id = $2`,
        [deviceId, clientId],
      ),
      query<{ at: number }>(
        'codes.times',
        `SELECT issued_at AS at FROM verification_codes WHERE device_id = $1
         ORDER BY issued_at DESC LIMIT $2`,
        [deviceId, codesPerDevice],
      ),
    ])
    return { own, newest: newest.map(({ at }) => at) }
  }

  return {
    before: (clientId, deviceId) => before(read, clientId, deviceId),

    issue: ({ id, deviceId, clientId, hash, expiresAt }, at) =>
      write(async (tx) => {
        // The lock of the device counts the codes of all partners for it one after another.
        const device = await lockDeviceById(tx, deviceId)
        const quota = countCode(await before(tx.query, clientId, deviceId), at)
        if (!quota) return undefined
        await tx.query(
          'codes.count',
          `INSERT INTO verification_quotas (device_id, client_id, period_started_at, issued)
           VALUES ($1, $2, $3, $4)
           ON CONFLICT (device_id, client_id) DO UPDATE
           SET period_started_at = excluded.period_started_at, issued = excluded.issued`,
          [deviceId, clientId, quota.periodStartedAt, quota.issued],
        )
        await tx.query(
          'codes.replace',
          `UPDATE verification_codes SET state = 'replaced'
           WHERE device_id = $1 AND client_id = $2 AND state = 'outstanding'`,
          [deviceId, clientId],
        )
        await tx.query(
          'codes.issue',
          `INSERT INTO verification_codes (id, device_id, client_id, hash, state, issued_at, expires_at)
           VALUES ($1, $2, $3, $4, 'outstanding', $5, $6)`,
          [id, deviceId, clientId, hash, at, expiresAt],
        )
        await audit.note(tx, { at, action: 'code.issue', subject: device?.serial ?? deviceId, clientId })
        return quota
      }),
  }
}
