import { type Act, type Engine, row } from './act.ts'

/** A device as the acts below need it. */
export interface DeviceRow {
  id: string
  serial: string
  /** Separated by spaces. */
  caps: string
  revokedAt: number | null
}

/** What an act locks of a device. */
const lockOf = (column: 'id' | 'serial') =>
  `SELECT 1 FROM device_state WHERE device_number = (SELECT number FROM devices WHERE ${column} = $1)`
export const LOCK_BY_ID = lockOf('id')
export const LOCK_BY_SERIAL = lockOf('serial')

const COLUMNS = 'id, serial, caps, revoked_at AS "revokedAt"'

/**
 * Locks a device until the commit, and reads it. Every act that changes a device, its links or its codes begins so: no
 * payment is announced and no other act changes the device in between.
 */
export function* lockDeviceById({ lock }: Pick<Engine, 'lock'>, id: string): Act<DeviceRow | undefined> {
  yield* lock('devices.lockById', LOCK_BY_ID, [id])
  return yield* row<DeviceRow>('devices.rowById', `SELECT ${COLUMNS} FROM devices WHERE id = $1`, [id])
}

/** As `lockDeviceById`, a device that is not revoked. */
export function* lockLiveDevice({ lock }: Pick<Engine, 'lock'>, serial: string): Act<DeviceRow | undefined> {
  yield* lock('devices.lockBySerial', LOCK_BY_SERIAL, [serial])
  return yield* row<DeviceRow>(
    'devices.liveBySerial',
    `SELECT ${COLUMNS} FROM devices WHERE serial = $1 AND revoked_at IS NULL`,
    [serial],
  )
}
