import type { Device } from '../../../devices/device.ts'
import { DEVICE_COLUMNS, type DeviceRow, LOCK_BY_SERIAL, toDevice } from '../../acts/device-rows.ts'
import type { Tx } from '../engine/database.ts'
import type { StoreRows } from './store-rows.ts'

export type { DeviceRow } from '../../acts/device-rows.ts'

/** Finds a device. */
export async function deviceBySerial(query: Tx['query'], serial: string): Promise<DeviceRow | undefined> {
  const [row] = await query<DeviceRow>(
    'devices.bySerial',
    `SELECT ${DEVICE_COLUMNS} FROM devices WHERE serial = $1`,
    [serial],
  )
  return row
}

/**
 * Locks a device until the commit, and reads it. Every act that changes a device, its links or its codes begins so: no
 * payment is announced and no other act changes the device in between.
 *
 * Why two statements: one that waits for the lock would read what was there before.
 */
export async function lockDeviceBySerial(tx: Tx, serial: string): Promise<DeviceRow | undefined> {
  const [, row] = await Promise.all([
    tx.query('devices.lockBySerial', `${LOCK_BY_SERIAL} FOR NO KEY UPDATE`, [serial]),
    deviceBySerial(tx.query, serial),
  ])
  return row
}

/** The device if it is not revoked. */
export function live(row: DeviceRow | undefined): DeviceRow | undefined {
  return row?.revokedAt === null ? row : undefined
}

/** As `live`, only the partner's own device. */
export function owned(clientId: string, row: DeviceRow | undefined): DeviceRow | undefined {
  return row?.clientId === clientId ? live(row) : undefined
}

/** As `owned`, or a free device. */
export function visible(clientId: string, row: DeviceRow | undefined): DeviceRow | undefined {
  return row?.clientId === null ? live(row) : owned(clientId, row)
}

export async function withStores(
  query: Tx['query'],
  stores: Pick<StoreRows, 'ofDevice'>,
  row: DeviceRow,
): Promise<Device> {
  return toDevice(row, await stores.ofDevice(query, row.rowId))
}
