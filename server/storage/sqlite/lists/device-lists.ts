import { and, desc, eq, getTableColumns, isNotNull, isNull, lte, max, not, type SQL, sql } from 'drizzle-orm'
import type { DeviceFilter, DeviceLists } from '../../../devices/ports.ts'
import { type ReportRow, toReport } from '../../shared/device-mapping.ts'
import { placed, walkBack } from '../../shared/walk-back.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { deviceHealth, deviceOffers, deviceRekeys, deviceStores, devices, stores } from '../schema/schema.ts'

const { deviceRowId: _, ...health } = getTableColumns(deviceHealth)
const { rowId, serial, clientId, active, revokedAt, firmware, model, lastBirthAt, createdAt, lang, caps } =
  devices

/** The newest instant at which the device was heard of; 0 when it never was. */
const lastSeenAt = sql<number>`max(
  coalesce(${lastBirthAt}, 0), coalesce(${deviceHealth.reportedAt}, 0), coalesce(${deviceHealth.leftAt}, 0)
)`

/** Null for a device that was never born. */
function isConnected(hubSince: number | undefined): SQL<number | null> {
  // No hub is running: nobody is connected.
  const since = hubSince ?? Number.MAX_SAFE_INTEGER
  return sql`(
    ${revokedAt} is null and ${lastBirthAt} >= ${since}
    and coalesce(${deviceHealth.leftAt}, 0) <= ${lastBirthAt}
  )`
}

export function createDeviceLists({ orm }: OpenDatabase): DeviceLists {
  const storesOf = orm
    .select({ id: stores.id, terminalID: stores.terminalID, storeName: stores.storeName })
    .from(deviceStores)
    .innerJoin(stores, eq(stores.rowId, deviceStores.storeRowId))
    .where(eq(deviceStores.deviceRowId, sql.placeholder('deviceRowId')))
    .prepare()
  const highest = orm
    .select({ rowId: max(rowId) })
    .from(devices)
    .prepare()

  const reports = (hubSince: number | undefined) =>
    orm
      .select({
        ...{ rowId, deviceId: devices.id, serial, clientId, active, revokedAt, firmware, model, lastBirthAt },
        ...{ createdAt, lang, ...health, lastSeenAt, connected: isConnected(hubSince) },
        ...{
          caps,
          nextKeySince: deviceRekeys.since,
          offer: deviceOffers.offer,
          offerSince: deviceOffers.since,
        },
      })
      .from(devices)
      .leftJoin(deviceHealth, eq(deviceHealth.deviceRowId, rowId))
      .leftJoin(deviceRekeys, eq(deviceRekeys.id, devices.id))
      .leftJoin(deviceOffers, eq(deviceOffers.id, devices.id))

  const withStores = (row: ReportRow) => toReport(row, storesOf.all({ deviceRowId: row.rowId }))

  return {
    page: reading(async (filter, hubSince, page) => {
      const matches = conditions(filter, hubSince)
      const below = (highest.get()?.rowId ?? 0) + 1
      const found = await walkBack(page, { least: 1, below }, (window) => {
        const inWindow = sql`${rowId} >= ${window.from} and ${rowId} < ${window.below}`
        return reports(hubSince)
          .where(and(inWindow, ...matches))
          .orderBy(desc(rowId))
          .limit(window.limit)
          .all()
      })
      return placed(found, withStores)
    }),

    find: reading((wanted, hubSince) => {
      const row = reports(hubSince).where(eq(serial, wanted)).get()
      return row && withStores(row)
    }),
  }
}

/** `+` keeps SQLite from an index by which the rows would have to be sorted. */
function conditions(filter: DeviceFilter, hubSince: number | undefined): (SQL | undefined)[] {
  const { clientId: owner, state, serialPrefix, silentSince, batteryAtMost } = filter
  const connected = sql`coalesce(${isConnected(hubSince)}, 0)`
  const states = {
    online: connected,
    offline: and(isNull(revokedAt), not(connected)),
    locked: and(isNull(revokedAt), eq(active, false)),
    free: and(isNull(revokedAt), isNull(clientId)),
    revoked: isNotNull(revokedAt),
  }
  return [
    owner === undefined ? undefined : eq(clientId, owner),
    state && states[state],
    serialPrefix === undefined
      ? undefined
      : sql`+${serial} >= ${serialPrefix} and +${serial} < ${`${serialPrefix}\u{10FFFF}`}`,
    silentSince === undefined
      ? undefined
      : and(isNull(revokedAt), not(connected), sql`${lastSeenAt} between 1 and ${silentSince}`),
    batteryAtMost === undefined ? undefined : lte(deviceHealth.battery, batteryAtMost),
  ]
}
