import { rows } from '../../acts/act.ts'
import { type DeviceStates, type LockedDevice, numbered } from '../../acts/outbox/device-states.ts'
import { columns } from './columns.ts'

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
      const given = numbered(devices)
      if (given.length === 0) return
      yield* rows(
        'outbox store numbers',
        `UPDATE device_state s SET n = v.n FROM unnest($1::bigint[], $2::bigint[]) AS v(device_number, n)
         WHERE s.device_number = v.device_number`,
        columns(given, 'rowId', 'n'),
      )
    },

    *own(devices) {
      if (devices.length === 0) return
      yield* rows(
        'outbox own devices',
        `UPDATE device_state s SET n = v.n, session_id = v.session_id, hub = $4
         FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS v(device_number, n, session_id)
         WHERE s.device_number = v.device_number`,
        [...columns(devices, 'rowId', 'n', 'sessionId'), hub ?? null],
      )
    },

    *leave(devices) {
      if (devices.length === 0) return
      yield* rows(
        'outbox.leave',
        'UPDATE device_state SET session_id = NULL, hub = NULL WHERE device_number = ANY($1::bigint[])',
        columns(devices, 'rowId'),
      )
    },

    isNotElsewhere: `(
      SELECT s.session_id IS NULL OR s.hub IS NOT DISTINCT FROM $3 FROM device_state s
      WHERE s.device_number = a.device_number
    )`,
    hub,
  }
}
