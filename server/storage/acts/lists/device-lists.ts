import { type DeviceReport, OWN_DIALECT } from '../../../devices/device.ts'
import type { DeviceFilter, DeviceLists, DeviceTally } from '../../../devices/ports.ts'
import type { PageRequest } from '../../../platform/page.ts'
import { type Nullable, withoutNulls } from '../../shared/without-nulls.ts'
import { type Act, type Engine, fromJson, row, rows } from '../act.ts'
import { createStoreRows } from '../store-rows.ts'
import { createChooser } from './chosen-devices.ts'
import { type Conditions, createFilter } from './filter.ts'
import { boundsOf, rowsWith } from './numbered-rows.ts'
import { allRows, type ChooseRange, nextRows, placed, walkBack } from './walk-back.ts'

type Health = NonNullable<DeviceReport['health']>
type Offer = NonNullable<DeviceReport['offer']>

/** A device with what is known of its state, as the engines have it. */
type ReportRow = Nullable<
  Omit<
    DeviceReport,
    | 'health'
    | 'stores'
    | 'caps'
    | 'languages'
    | 'lastSeenAt'
    | 'active'
    | 'connected'
    | 'offer'
    | 'updateProgress'
    | 'runtime'
  >
> &
  Record<keyof Health, number | null> & {
    rowId: number
    active: boolean | number
    connected: boolean | number
    /** Separated by spaces. */
    caps: string
    /** Separated by spaces. */
    languages: string
    updateProgress: NonNullable<DeviceReport['updateProgress']> | string | null
    runtime: NonNullable<DeviceReport['runtime']> | string | null
    offer: Omit<Offer, 'since'> | string | null
    offerSince: number | null
  }

export function createDeviceLists(engine: Engine): DeviceLists {
  const { reading, scanned } = engine
  const stores = createStoreRows(engine)
  const { holds, states, reports } = createSql(engine)
  const { where, values } = createFilter(engine, holds, 5)
  const pageOfChosen = createChosenPages(engine)

  function* withStores(found: ReportRow[]) {
    const linked = yield* stores.ofDevices(found.map(({ rowId }) => rowId))
    return (row: ReportRow) => toReport(row, linked.get(row.rowId) ?? [])
  }

  function chooser({ clientId, storeId }: DeviceFilter): ChooseRange {
    // A store has few speakers.
    if (storeId !== undefined) return allRows
    return clientId === undefined
      ? nextRows('devices', scanned)
      : rowsWith('devices', 'client_id', clientId, scanned)
  }

  return {
    page: reading(function* (filter, hubSince, page) {
      const { state, ...fields } = filter
      const bounds = yield* boundsOf('devices')
      if (filter.storeId === undefined && page.limit > 0) {
        const chosen = yield* pageOfChosen(filter, hubSince, page, bounds)
        if (chosen) return placed(chosen, yield* withStores(chosen.rows))
      }
      const path = (['storeId', 'clientId'] as const).find((name) => fields[name] !== undefined)
      const found = yield* walkBack(
        page,
        bounds,
        ({ from, below, limit }) =>
          rows<ReportRow>(
            `lists.devices ${state ?? 'all'} by ${path ?? 'number'}`,
            `${reports} WHERE d.number >= $2 AND d.number < $3 AND ${state ? states[state] : 'true'}
               AND ${where(fields, path)} ORDER BY d.number DESC LIMIT $4`,
            [hubSince, from, below, limit, ...values(fields)],
          ),
        chooser(fields),
      )
      return placed(found, yield* withStores(found.rows))
    }),

    find: reading(function* (serial, hubSince) {
      const found = yield* rows<ReportRow>('lists.device', `${reports} WHERE d.serial = $2`, [
        hubSince,
        serial,
      ])
      return found.map(yield* withStores(found))[0]
    }),

    tally: createTally(engine),
  }
}

/** The conditions and the columns of devices. $1 is the start of the hub. While it does not run, it is null: nobody is connected. */
function createSql(engine: Pick<Engine, 'presence' | 'among'>) {
  const { presence } = engine
  const connected = `coalesce(d.revoked_at IS NULL AND ${presence.isConnected(
    'd.last_birth_at >= $1 AND coalesce(h.left_at, 0) <= d.last_birth_at',
  )}, false)`
  const holds = conditions(connected, engine)
  const states: Record<NonNullable<DeviceFilter['state']>, string> = {
    online: connected,
    offline: `d.revoked_at IS NULL AND NOT ${connected}`,
    locked: 'd.revoked_at IS NULL AND NOT d.active',
    free: 'd.revoked_at IS NULL AND d.client_id IS NULL',
    revoked: 'd.revoked_at IS NOT NULL',
  }
  /** All that is known of devices. */
  const reports = `SELECT d.number AS "rowId", d.id AS "deviceId", d.serial, d.client_id AS "clientId", d.active,
      d.dialect, d.profile, d.wire_id AS "wireId", d.revoked_at AS "revokedAt", d.firmware, d.model,
      d.last_birth_at AS "lastBirthAt", d.created_at AS "createdAt", d.lang, d.languages, d.caps,
      d.device_name AS "deviceName", d.rm_code AS "rmCode",
      h.battery, h.charging, h.signal, h.volume, h.queue, h.reported_at AS "reportedAt", h.left_at AS "leftAt",
      h.update_progress AS "updateProgress", h.runtime, k.since AS "nextKeySince", o.offer, o.since AS "offerSince",
      ${connected} AS connected
    FROM devices d ${presence.join}
      LEFT JOIN device_health h ON h.device_number = d.number
      LEFT JOIN device_rekeys k ON k.id = d.id
      LEFT JOIN device_offers o ON o.id = d.id`
  return { holds, states, reports }
}

/** A page of the devices that are chosen. Undefined when none are. */
function createChosenPages(engine: Engine) {
  const { presence, among } = engine
  const { holds, states, reports } = createSql(engine)
  const amongChosen = createFilter(engine, holds, 3)
  const choose = createChooser(engine)

  return function* pageOfChosen(
    filter: DeviceFilter,
    hubSince: number | undefined,
    { limit, after }: PageRequest,
    { least, below }: { least: number; below: number },
  ): Act<{ rows: ReportRow[]; next: string | undefined } | undefined> {
    const { state, ...fields } = filter
    const top = Math.min(below, after === undefined ? below : Number(after))
    const chosen = yield* choose(filter, hubSince, top, least)
    if (!chosen) return undefined
    const next = (reached: number) => (reached > least ? String(reached) : undefined)
    if (chosen.numbers.length === 0) return { rows: [], next: next(chosen.reached) }
    const matching = yield* rows<{ number: number }>(
      `lists.devices ${state ?? 'all'} of numbers`,
      `SELECT d.number FROM devices d ${presence.join} LEFT JOIN device_health h ON h.device_number = d.number
       WHERE ${among('d.number', '$2', 'bigint')} AND ${state ? states[state] : 'true'}
         AND ${amongChosen.where(fields, undefined)}`,
      [hubSince, chosen.numbers, ...amongChosen.values(fields)],
    )
    const sorted = matching.map(({ number }) => number).sort((one, other) => other - one)
    const own = sorted.slice(0, limit)
    const found = yield* rows<ReportRow>(
      'lists.devices of a page',
      `${reports} WHERE ${among('d.number', '$2', 'bigint')}`,
      [hubSince, own],
    )
    return {
      rows: found.sort((one, other) => other.rowId - one.rowId),
      next: next((sorted.length > limit ? own.at(-1) : undefined) ?? chosen.reached),
    }
  }
}

function createTally(engine: Engine): DeviceLists['tally'] {
  const { reading, presence, scanned } = engine
  const { holds, states } = createSql(engine)
  const [silent, low] = [holds.silentSince[1]('$4', String), holds.batteryAtMost[1]('$5', String)]
  return reading(function* ({ silentSince, batteryAtMost }, hubSince, after) {
    const bounds = yield* boundsOf('devices')
    const top = after === undefined ? bounds.below : Number(after)
    const { from, below } = yield* nextRows('devices', scanned)(top, bounds.least)
    const count = (condition: string) => `count(CASE WHEN ${condition} THEN 1 END)`
    const tally = yield* row<DeviceTally>(
      'lists.devices tallied',
      `SELECT ${count(states.offline)} AS offline, ${count(silent)} AS silent, ${count(low)} AS "lowBattery"
       FROM devices d ${presence.join}
         LEFT JOIN device_health h
           ON h.device_number = d.number AND h.device_number >= $2 AND h.device_number < $3
       WHERE d.number >= $2 AND d.number < $3 AND ${presence.between('$2', '$3')} AND d.revoked_at IS NULL`,
      [hubSince, from, below, silentSince, batteryAtMost],
    )
    return {
      tally: tally ?? { offline: 0, silent: 0, lowBattery: 0 },
      next: from > bounds.least ? String(from) : undefined,
    }
  })
}

function conditions(
  connected: string,
  { among }: Pick<Engine, 'among'>,
): Conditions<Omit<DeviceFilter, 'state'>> {
  return {
    storeId: [
      'text',
      (id) => `d.number IN (
        SELECT l.device_number FROM device_stores l WHERE l.store_number = (SELECT s.number FROM stores s WHERE s.id = ${id})
      )`,
    ],
    clientId: ['text', (id) => `d.client_id = ${id}`],
    connected: ['boolean', (isConnected) => `${connected} = ${isConnected}`],
    active: ['boolean', (isActive) => `d.active = ${isActive}`],
    revoked: ['boolean', (isRevoked) => `(d.revoked_at IS NOT NULL) = ${isRevoked}`],
    serialPrefix: ['text', (prefix) => `substr(d.serial, 1, length(${prefix})) = ${prefix}`],
    silentSince: [
      'bigint',
      (at) => `d.revoked_at IS NULL AND NOT ${connected}
        AND coalesce(d.last_birth_at, h.reported_at, h.left_at) IS NOT NULL
        AND coalesce(d.last_birth_at, 0) <= ${at} AND coalesce(h.reported_at, 0) <= ${at}
        AND coalesce(h.left_at, 0) <= ${at}`,
    ],
    batteryAtMost: ['bigint', (percent) => `h.battery <= ${percent}`],
    dialect: ['text', (dialect) => `d.dialect = ${dialect}`],
    profiles: ['text[]', (names) => among(`coalesce(d.profile, '${OWN_DIALECT}')`, names)],
  }
}

function toReport(row: ReportRow, stores: DeviceReport['stores']): DeviceReport {
  const {
    rowId,
    battery,
    charging,
    signal,
    volume,
    queue,
    reportedAt,
    offer: _,
    offerSince,
    ...rest
  } = withoutNulls(row)
  const [offer, updateProgress] = [fromJson<Omit<Offer, 'since'>>(row.offer), fromJson(row.updateProgress)]
  const readings = {
    battery,
    charging: charging === undefined ? undefined : Boolean(charging),
    signal,
    volume,
    queue,
  }
  return {
    ...rest,
    active: Boolean(row.active),
    connected: Boolean(row.connected),
    lastSeenAt: Math.max(row.lastBirthAt ?? 0, row.reportedAt ?? 0, row.leftAt ?? 0) || undefined,
    caps: row.caps.split(' ').filter(Boolean),
    languages: row.languages.split(' ').filter(Boolean),
    offer: offer && offerSince !== undefined ? { ...offer, since: offerSince } : undefined,
    updateProgress: updateProgress ?? undefined,
    runtime: fromJson(row.runtime) ?? undefined,
    health: reportedAt === undefined ? undefined : { ...readings, reportedAt },
    stores,
  }
}
