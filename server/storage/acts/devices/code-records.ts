import type { CodeRecords } from '../../../devices/ports.ts'
import type { CodeQuota, CodesBefore } from '../../../devices/verification-code.ts'
import type { StorageRules } from '../../rules.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { lockDevice } from '../device-rows.ts'

export function createCodeRecords(
  engine: Engine,
  { countCode, codesPerDevice }: Pick<StorageRules, 'countCode' | 'codesPerDevice'>,
): CodeRecords {
  const { reading, writing } = engine
  const before = (clientId: string, deviceId: string) => codesBefore(clientId, deviceId, codesPerDevice)

  return {
    before: reading(before),

    issue: writing(function* (by, { id, deviceId, clientId, hash, expiresAt }, at) {
      // The lock of the device counts the codes of all partners for it one after another.
      const device = yield* lockDevice(engine, 'id', deviceId)
      const quota = countCode(yield* before(clientId, deviceId), at)
      if (!quota) return undefined
      yield* storeQuota(clientId, deviceId, quota)
      yield* rows(
        'codes.replace',
        `UPDATE verification_codes SET state = 'replaced'
         WHERE device_id = $1 AND client_id = $2 AND state = 'outstanding'`,
        [deviceId, clientId],
      )
      yield* rows(
        'codes.issue',
        `INSERT INTO verification_codes (id, device_id, client_id, hash, state, issued_at, expires_at)
         VALUES ($1, $2, $3, $4, 'outstanding', $5, $6)`,
        [id, deviceId, clientId, hash, at, expiresAt],
      )
      yield* noteChange({ by, at, action: 'code.issue', subject: device?.serial ?? deviceId })
      return quota
    }),
  }
}

/** Stores that a partner has used one more code of a device. */
export function* storeQuota(clientId: string, deviceId: string, quota: CodeQuota): Act<void> {
  yield* rows(
    'codes.count',
    `INSERT INTO verification_quotas (device_id, client_id, period_started_at, issued)
     VALUES ($1, $2, $3, $4)
     ON CONFLICT (device_id, client_id) DO UPDATE
     SET period_started_at = excluded.period_started_at, issued = excluded.issued`,
    [deviceId, clientId, quota.periodStartedAt, quota.issued],
  )
}

/** What decides whether a partner gets one more code of a device. `limit`: see codesPerDevice. */
export function* codesBefore(clientId: string, deviceId: string, limit: number): Act<CodesBefore> {
  const own = yield* row<CodeQuota>(
    'codes.quota',
    `SELECT period_started_at AS "periodStartedAt", issued FROM verification_quotas
     WHERE device_id = $1 AND client_id = $2`,
    [deviceId, clientId],
  )
  const newest = yield* rows<{ at: number }>(
    'codes.times',
    'SELECT issued_at AS at FROM verification_codes WHERE device_id = $1 ORDER BY issued_at DESC LIMIT $2',
    [deviceId, limit],
  )
  return { own, newest: newest.map(({ at }) => at) }
}
