import type { Language } from '../../../protocol/money/language.ts'
import type { Device, DeviceKind, Speaker } from '../../devices/device.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Store } from '../../stores/store.ts'
import type { SettingsRow } from '../shared/settings-mapping.ts'
import { type Act, type Engine, fromJson, row, rows } from './act.ts'

/** A device as the rare acts read it. */
export interface DeviceRow extends SettingsRow {
  rowId: number
  clientId: string | null
  dialect: string
  profile: string | null
  deviceName: string
  rmCode: string
  active: boolean
  /** Separated by spaces. */
  caps: string
  revokedAt: number | null
}

/** The columns of a DeviceRow. */
const COLUMNS = `number AS "rowId", id, serial, client_id AS "clientId", dialect, profile, device_name AS "deviceName",
  rm_code AS "rmCode", active, caps, lang, languages, desired_settings AS "desiredSettings",
  reported_settings AS "reportedSettings", revoked_at AS "revokedAt"`

/**
 * Locks a device until the commit, and reads it. Every act that changes a device, its links or its codes begins so: no
 * payment is announced and no other act changes the device in between.
 */
export function* lockDevice(
  { lock }: Pick<Engine, 'lock'>,
  by: 'id' | 'serial',
  value: string,
): Act<DeviceRow | undefined> {
  yield* lock(
    `devices.lock ${by}`,
    `SELECT 1 FROM device_state WHERE device_number = (SELECT number FROM devices WHERE ${by} = $1)`,
    [value],
  )
  return yield* find(by, value)
}

/** As `lockDevice`, a device that is not revoked. */
export function* lockLiveDevice(engine: Pick<Engine, 'lock'>, serial: string): Act<DeviceRow | undefined> {
  return live(yield* lockDevice(engine, 'serial', serial))
}

/** Finds a device that is not revoked. */
export function* liveDevice(serial: string): Act<DeviceRow | undefined> {
  return live(yield* find('serial', serial))
}

function* find(by: 'id' | 'serial', value: string): Act<DeviceRow | undefined> {
  const found = yield* row<StoredRow>(
    `devices.find ${by}`,
    `SELECT ${COLUMNS} FROM devices WHERE ${by} = $1`,
    [value],
  )
  return found && toRow(found)
}

function live(device: DeviceRow | undefined): DeviceRow | undefined {
  return device?.revokedAt === null ? device : undefined
}

/** As the engines have it. */
type StoredRow = Omit<DeviceRow, 'active' | 'desiredSettings' | 'reportedSettings'> & {
  active: boolean | number
  desiredSettings: Settings | string | null
  reportedSettings: Settings | string | null
}

const toRow = (row: StoredRow): DeviceRow => ({
  ...row,
  active: Boolean(row.active),
  desiredSettings: fromJson(row.desiredSettings),
  reportedSettings: fromJson(row.reportedSettings),
})

/** The device of the domain. */
export function toDevice(
  { id, serial, deviceName, active, clientId, rmCode, ...row }: DeviceRow,
  stores: Store[],
): Device {
  return {
    ...{ id, serial, deviceName, active, clientId: clientId ?? undefined, rmCode, stores },
    ...kindOf(row),
  }
}

export function kindOf({
  dialect,
  profile,
  languages,
}: Pick<DeviceRow, 'dialect' | 'profile' | 'languages'>): DeviceKind {
  return { dialect, profile: profile ?? undefined, languages: languages.split(' ').filter(Boolean) }
}

/** The speakers of a store that are not revoked. */
export function* speakersOf(storeId: string): Act<Speaker[]> {
  const found = yield* rows<{ deviceId: string; serial: string; active: boolean | number; lang: Language }>(
    'devices.speakersOf',
    `SELECT d.id AS "deviceId", d.serial, d.active, d.lang
     FROM stores s JOIN device_stores l ON l.store_number = s.number
       JOIN devices d ON d.number = l.device_number AND d.revoked_at IS NULL
     WHERE s.id = $1 ORDER BY l.device_number`,
    [storeId],
  )
  return found.map((speaker) => ({ ...speaker, active: Boolean(speaker.active) }))
}
