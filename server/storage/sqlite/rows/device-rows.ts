import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Device, Speaker } from '../../../devices/device.ts'
import { bareRead } from '../engine/bare.ts'
import type { Orm } from '../engine/database.ts'
import { deviceStores, devices, stores } from '../schema/schema.ts'
import { type StoreRows, storeColumns } from './store-rows.ts'

type DeviceRow = typeof devices.$inferSelect

/** Reading whole devices inside an act of any record. */
export interface DeviceRows {
  /** A device that is not revoked. */
  bySerial(serial: string): DeviceRow | undefined
  /** As `bySerial`, when the device is the partner's own. */
  owned(clientId: string, serial: string): DeviceRow | undefined
  /** As `bySerial`, when the device is free or the partner's own. */
  visible(clientId: string, serial: string): DeviceRow | undefined
  withStores(row: DeviceRow): Device
  /** The speakers of a store that are not revoked. */
  speakersOf(storeId: string): Speaker[]
  /** The same of the store that has this number, each with its own. */
  numberedSpeakersOf(storeNumber: number): { speaker: Speaker; number: number }[]
}

export function createDeviceRows(orm: Orm, storeRows: StoreRows): DeviceRows {
  const bySerial = orm
    .select()
    .from(devices)
    .where(and(eq(devices.serial, sql.placeholder('serial')), isNull(devices.revokedAt)))
    .prepare()
  const speaker = {
    number: devices.number,
    deviceId: devices.id,
    serial: devices.serial,
    active: devices.active,
    lang: devices.lang,
  }
  const speakers = bareRead(
    orm,
    speaker,
    orm
      .select(speaker)
      .from(devices)
      // No join: measured, SQLite takes five times as long over one here, for the same two look-ups.
      .where(
        and(
          inArray(
            devices.number,
            orm
              .select({ number: deviceStores.deviceNumber })
              .from(deviceStores)
              .where(eq(deviceStores.storeNumber, sql.placeholder('storeNumber'))),
          ),
          isNull(devices.revokedAt),
        ),
      ),
  )

  const numberOfStore = orm
    .select({ number: stores.number })
    .from(stores)
    .where(eq(stores.id, sql.placeholder('storeId')))
    .prepare()

  const numberedSpeakersOf = (storeNumber: number) =>
    speakers.all({ storeNumber }).map(({ number, ...speaker }) => ({ speaker, number }))

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
      const linked = orm
        .select(storeColumns)
        .from(deviceStores)
        .innerJoin(stores, eq(stores.number, deviceStores.storeNumber))
        .where(eq(deviceStores.deviceNumber, row.number))
        .orderBy(asc(deviceStores.linkedAt), asc(stores.id))
        .all()
      return {
        id: row.id,
        serial: row.serial,
        deviceName: row.deviceName,
        active: row.active,
        clientId: row.clientId ?? undefined,
        rmCode: row.rmCode,
        stores: linked.map(storeRows.toStore),
      }
    },

    speakersOf(storeId) {
      const store = numberOfStore.get({ storeId })
      return store ? numberedSpeakersOf(store.number).map(({ speaker }) => speaker) : []
    },

    numberedSpeakersOf,
  }
}
