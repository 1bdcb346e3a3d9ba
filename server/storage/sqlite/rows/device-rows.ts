import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Device, Speaker } from '../../../devices/device.ts'
import type { Orm } from '../engine/database.ts'
import { deviceStores, devices } from '../schema/schema.ts'
import type { StoreRows } from './store-rows.ts'

export type DeviceRow = typeof devices.$inferSelect

/** Reads whole devices, inside the acts of every port. */
export interface DeviceRows {
  /** Finds a device that is not revoked. */
  bySerial(serial: string): DeviceRow | undefined
  /** As `bySerial`, only for the partner's own device. */
  owned(clientId: string, serial: string): DeviceRow | undefined
  /** As `owned`, or a free device. */
  visible(clientId: string, serial: string): DeviceRow | undefined
  withStores(row: DeviceRow): Device
  /** The speakers of a store that are not revoked, each with the row id of its device. */
  speakersWithRowIds(storeRowId: number): { speaker: Speaker; deviceRowId: number }[]
}

export function createDeviceRows(orm: Orm, storeRows: StoreRows): DeviceRows {
  const bySerial = orm
    .select()
    .from(devices)
    .where(and(eq(devices.serial, sql.placeholder('serial')), isNull(devices.revokedAt)))
    .prepare()
  const linkedDevices = orm
    .select({ number: deviceStores.deviceRowId })
    .from(deviceStores)
    .where(eq(deviceStores.storeRowId, sql.placeholder('storeRowId')))
  const speakers = orm
    .select({
      deviceRowId: devices.rowId,
      deviceId: devices.id,
      serial: devices.serial,
      active: devices.active,
      lang: devices.lang,
    })
    .from(devices)
    // No join: SQLite takes five times as long for one here, measured, for the same two look-ups.
    .where(and(inArray(devices.rowId, linkedDevices), isNull(devices.revokedAt)))
    .prepare()

  const speakersWithRowIds = (storeRowId: number) =>
    speakers.all({ storeRowId }).map(({ deviceRowId, ...speaker }) => ({ speaker, deviceRowId }))

  return {
    bySerial: (serial) => bySerial.get({ serial }),

    owned(clientId, serial) {
      const row = bySerial.get({ serial })
      return row?.clientId === clientId ? row : undefined
    },

    visible(clientId, serial) {
      const row = bySerial.get({ serial })
      return row && (row.clientId === null || row.clientId === clientId) ? row : undefined
    },

    withStores(row) {
      return {
        id: row.id,
        serial: row.serial,
        deviceName: row.deviceName,
        active: row.active,
        clientId: row.clientId ?? undefined,
        rmCode: row.rmCode,
        stores: storeRows.ofDevice(row.rowId),
      }
    },

    speakersWithRowIds,
  }
}
