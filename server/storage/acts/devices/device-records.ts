import type { DeviceSummary } from '../../../devices/device.ts'
import type { DeviceRecords } from '../../../devices/ports.ts'
import type { StorageObserver } from '../../ports.ts'
import { type CredentialsRow, createCredentialsMapping } from '../../shared/device-mapping.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import { type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { liveDevice, toDevice } from '../device-rows.ts'
import { createStoreRows } from '../store-rows.ts'
import { createBoxRecords } from './box-records.ts'
import { createIdentifyRecords } from './identify-records.ts'
import type { MissedMarks } from './missed-marks.ts'
import { createRegister } from './registration.ts'
import { createSuppressingActs } from './suppressing-acts.ts'

type SummaryRow = Pick<DeviceSummary, 'serial' | 'dialect' | 'firmware' | 'model'> & {
  active: boolean | number
  clientId: string | null
  revokedAt: number | null
  lastBirthAt: number | null
  profile: string | null
}

export interface DeviceParts extends Pick<MissedMarks, 'markAllShown'> {
  /** Each engine has its own: every connect reads them, and as an act that costs SQLite twice as much, measured. */
  readCredentials: (serial: string) => Promise<CredentialsRow | undefined>
}

export function createDeviceRecords(
  engine: Engine,
  rules: Parameters<typeof createRegister>[1],
  { markAllShown, readCredentials }: DeviceParts,
  observer: Pick<StorageObserver, 'stage'>,
): DeviceRecords {
  const { reading, writing, addState, among, vault } = engine
  const keys = sealedFields(vault, 'devices')
  const toCredentials = createCredentialsMapping(vault)
  const stores = createStoreRows(engine)

  return {
    mint: writing(function* (by, { id, serial, key, loginHash, at }) {
      const added = yield* row<{ rowId: number }>(
        'devices.mint',
        `INSERT INTO devices (id, serial, key, login_hash, device_name, created_at)
         VALUES ($1, $2, $3, $4, $2, $5) ON CONFLICT (serial) DO NOTHING RETURNING number AS "rowId"`,
        [id, serial, keys.seal(id, 'key', key), loginHash, at],
      )
      if (!added) return false
      yield* addState(added.rowId)
      yield* noteChange({ by, at, action: 'device.add', subject: serial })
      return true
    }),

    list: reading(function* () {
      const found = yield* rows<SummaryRow>(
        'devices.list',
        `SELECT serial, dialect, profile, client_id AS "clientId", active, revoked_at AS "revokedAt", firmware, model,
           last_birth_at AS "lastBirthAt"
         FROM devices ORDER BY created_at, id`,
      )
      return found.map((device) => ({ ...withoutNulls(device), active: Boolean(device.active) }))
    }),

    async credentials(serial) {
      const found = await readCredentials(serial)
      return found && toCredentials(serial, found)
    },

    revokedAmong: reading(function* (serials) {
      const found = yield* rows<{ serial: string }>(
        'devices.revokedAmong',
        `SELECT serial FROM devices WHERE ${among('serial', '$1')} AND revoked_at IS NOT NULL`,
        [serials],
      )
      return found.map(({ serial }) => serial)
    }),

    findFor: reading(function* (clientId, serial) {
      const device = yield* liveDevice(serial)
      if (!device || (device.clientId !== null && device.clientId !== clientId)) return undefined
      return toDevice(device, yield* stores.ofDevice(device.rowId))
    }),

    register: createRegister(engine, rules),
    ...createBoxRecords(engine),
    ...createSuppressingActs(engine, markAllShown, observer),
    ...createIdentifyRecords(engine),
  }
}
