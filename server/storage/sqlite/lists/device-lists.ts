import { and, desc, eq, getTableColumns, isNotNull, isNull, lte, max, not, type SQL, sql } from 'drizzle-orm'
import type { DeviceFilter, DeviceLists } from '../../../devices/ports.ts'
import { type ReportRow, toReport } from '../../shared/device-mapping.ts'
import { allRows, type ChooseRange, placed, walkBack } from '../../shared/walk-back.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import type { StoreRows } from '../rows/store-rows.ts'
import { deviceHealth, deviceOffers, deviceRekeys, deviceStores, devices, stores } from '../schema/schema.ts'
import { rowsOfPartner } from './partner-rows.ts'

const { deviceRowId: _, ...health } = getTableColumns(deviceHealth)
const { rowId, serial, clientId, active, revokedAt, firmware, model, lastBirthAt, createdAt, lang, caps } =
  devices
const { deviceName, rmCode } = devices

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

export function createDeviceLists(
  { orm }: OpenDatabase,
  { ofDevice }: Pick<StoreRows, 'ofDevice'>,
): DeviceLists {
  const ofPartner = rowsOfPartner(orm, 'devices')
  const highest = orm
    .select({ rowId: max(rowId) })
    .from(devices)
    .prepare()

  const reports = (hubSince: number | undefined) =>
    orm
      .select({
        ...{ rowId, deviceId: devices.id, serial, clientId, active, revokedAt, firmware, model, lastBirthAt },
        ...{ deviceName, rmCode },
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

  function chooser({ clientId: owner, storeId }: DeviceFilter): ChooseRange | undefined {
    // A store has few speakers.
    if (storeId !== undefined) return allRows
    return owner === undefined ? undefined : ofPartner(owner)
  }

  const withStores = (row: ReportRow) => toReport(row, ofDevice(row.rowId))

  return {
    page: reading(async (filter, hubSince, page) => {
      const matches = conditions(filter, hubSince)
      const below = (highest.get()?.rowId ?? 0) + 1
      const read = (window: { from: number; below: number; limit: number }) =>
        reports(hubSince)
          .where(and(sql`${rowId} >= ${window.from} and ${rowId} < ${window.below}`, ...matches))
          .orderBy(desc(rowId))
          .limit(window.limit)
          .all()
      return placed(await walkBack(page, { least: 1, below }, read, chooser(filter)), withStores)
    }),

    find: reading((wanted, hubSince) => {
      const row = reports(hubSince).where(eq(serial, wanted)).get()
      return row && withStores(row)
    }),
  }
}

const speakersOf = (storeId: string) => sql`
  select ${deviceStores.deviceRowId} from ${deviceStores}
  where ${deviceStores.storeRowId} = (select ${stores.rowId} from ${stores} where ${stores.id} = ${storeId})
`

/** `+` keeps SQLite from an index by which the rows would have to be sorted. */
function conditions(filter: DeviceFilter, hubSince: number | undefined): (SQL | undefined)[] {
  const { clientId: owner, state, serialPrefix, silentSince, batteryAtMost, storeId, revoked } = filter
  const connected = sql`coalesce(${isConnected(hubSince)}, 0)`
  const states = {
    online: connected,
    offline: and(isNull(revokedAt), not(connected)),
    locked: and(isNull(revokedAt), eq(active, false)),
    free: and(isNull(revokedAt), isNull(clientId)),
    revoked: isNotNull(revokedAt),
  }
  return [
    owner === undefined ? undefined : sql`+${clientId} = ${owner}`,
    state && states[state],
    filter.connected === undefined ? undefined : filter.connected ? connected : not(connected),
    filter.active === undefined ? undefined : eq(active, filter.active),
    revoked === undefined ? undefined : revoked ? isNotNull(revokedAt) : isNull(revokedAt),
    storeId === undefined ? undefined : sql`${rowId} in (${speakersOf(storeId)})`,
    serialPrefix === undefined
      ? undefined
      : sql`+${serial} >= ${serialPrefix} and +${serial} < ${`${serialPrefix}\u{10FFFF}`}`,
    silentSince === undefined
      ? undefined
      : and(isNull(revokedAt), not(connected), sql`${lastSeenAt} between 1 and ${silentSince}`),
    batteryAtMost === undefined ? undefined : lte(deviceHealth.battery, batteryAtMost),
  ]
}
