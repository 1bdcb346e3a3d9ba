import { rows } from '../../acts/act.ts'
import { type DeviceStates, type LockedDevice, numbered } from '../../acts/outbox/device-states.ts'
import { POSTGRES } from '../schema/statements.ts'

const { perRow } = POSTGRES

const own = perRow(
  'outbox own devices',
  { rowId: 'bigint', n: 'bigint', sessionId: 'text', hub: 'text' },
  (one, { from }) =>
    `UPDATE device_state SET n = ${one.n}, session_id = ${one.sessionId}, hub = ${one.hub}
     ${from} WHERE device_number = ${one.rowId}`,
)
const storeNumbers = perRow(
  'outbox store numbers',
  { rowId: 'bigint', n: 'bigint' },
  (one, { from }) => `UPDATE device_state SET n = ${one.n} ${from} WHERE device_number = ${one.rowId}`,
)
const leave = perRow(
  'outbox.leave',
  { rowId: 'bigint' },
  (one, { from }) =>
    `UPDATE device_state SET session_id = NULL, hub = NULL ${from} WHERE device_number = ${one.rowId}`,
)

/** `hub` owns the devices of its sessions. Undefined when it is the only one. */
export function createDeviceStates(hub: string | undefined): DeviceStates {
  return {
    *lock(deviceIds) {
      const ids = [...new Set(deviceIds)]
      if (ids.length === 0) return new Map()
      const locked = yield* rows<LockedDevice & { deviceId: string }>(
        'outbox lock devices',
        `SELECT s.device_number AS "rowId", d.id AS "deviceId", s.n, s.n AS stored, s.session_id AS "sessionId"
         FROM devices d JOIN device_state s ON s.device_number = d.number
         WHERE d.id = ANY($1::text[])
         ORDER BY s.device_number FOR NO KEY UPDATE OF s`,
        [ids],
      )
      return new Map(locked.map(({ deviceId, ...device }) => [deviceId, device]))
    },

    *find(deviceId) {
      const [found] = yield* rows<LockedDevice>(
        'outbox device',
        `SELECT s.n, s.session_id AS "sessionId" FROM devices d JOIN device_state s ON s.device_number = d.number
         WHERE d.id = $1`,
        [deviceId],
      )
      return found
    },

    *storeNumbers(devices) {
      yield* storeNumbers(numbered(devices))
    },

    *own(devices) {
      yield* own(devices.map((device) => ({ ...device, hub })))
    },

    *leave(devices) {
      yield* leave(devices)
    },

    isNotElsewhere: `(
      SELECT s.session_id IS NULL OR s.hub IS NOT DISTINCT FROM $3 FROM device_state s
      WHERE s.device_number = a.device_number
    )`,
    hub,
  }
}
