import type { DeviceSummary } from '../../../devices/device.ts'
import type { DeviceRecords } from '../../../devices/ports.ts'
import type { StorageObserver } from '../../ports.ts'
import { type CredentialsRow, createCredentialsMapping } from '../../shared/device-mapping.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { endTelling, eventOf } from '../device-events.ts'
import { type DeviceRow, liveDevice, lockDevice, lockLiveDevice, toDevice } from '../device-rows.ts'
import { createStoreRows } from '../store-rows.ts'
import { createIdentifyRecords } from './identify-records.ts'
import type { MissedMarks } from './missed-marks.ts'
import { createRegister } from './registration.ts'
import { createSuppressing } from './suppressing.ts'

type SummaryRow = Pick<DeviceSummary, 'serial' | 'firmware' | 'model'> & {
  active: boolean | number
  clientId: string | null
  revokedAt: number | null
  lastBirthAt: number | null
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
  const { reading, writing, audit, events, addState, raise, among, vault } = engine
  const keys = sealedFields(vault, 'devices')
  const toCredentials = createCredentialsMapping(vault)
  const stores = createStoreRows(engine)
  const suppressing = createSuppressing(engine, observer)

  function* lockOwned(clientId: string, serial: string): Act<DeviceRow | undefined> {
    const device = yield* lockLiveDevice(engine, serial)
    return device?.clientId === clientId ? device : undefined
  }

  function* storeActive({ rowId }: DeviceRow, active: boolean): Act<void> {
    yield* rows('devices.setActive', 'UPDATE devices SET active = $2 WHERE number = $1', [rowId, active])
    yield* raise('stores')
  }

  const silence = (device: DeviceRow) => storeActive(device, false)

  function* setActive(device: DeviceRow, clientId: string, active: boolean, at: number) {
    if (active !== device.active) {
      const action = active ? 'device.unlock' : 'device.lock'
      yield* audit.note({ at, action, subject: device.serial, clientId })
      yield* events(eventOf(device, `${action}ed`, at))
      yield* storeActive(device, active)
    }
    return { deviceId: device.id }
  }

  return {
    mint: writing(function* ({ id, serial, key, loginHash, at }) {
      const added = yield* row<{ rowId: number }>(
        'devices.mint',
        `INSERT INTO devices (id, serial, key, login_hash, device_name, created_at)
         VALUES ($1, $2, $3, $4, $2, $5) ON CONFLICT (serial) DO NOTHING RETURNING number AS "rowId"`,
        [id, serial, keys.seal(id, 'key', key), loginHash, at],
      )
      if (!added) return false
      yield* addState(added.rowId)
      yield* audit.note({ at, action: 'device.add', subject: serial })
      return true
    }),

    list: reading(function* () {
      const found = yield* rows<SummaryRow>(
        'devices.list',
        `SELECT serial, client_id AS "clientId", active, revoked_at AS "revokedAt", firmware, model,
           last_birth_at AS "lastBirthAt"
         FROM devices ORDER BY created_at, id`,
      )
      return found.map((device) => ({ ...withoutNulls(device), active: Boolean(device.active) }))
    }),

    async revoke(serial, at) {
      const find = () => lockDevice(engine, 'serial', serial)
      const revoked = await suppressing(find, at, silence, function* (device) {
        if (device.revokedAt !== null) return true
        yield* rows('devices.revoke', 'UPDATE devices SET revoked_at = $2 WHERE number = $1', [
          device.rowId,
          at,
        ])
        yield* audit.note({ at, action: 'device.revoke', subject: serial })
        yield* endTelling(engine, device, at)
        yield* raise('stores')
        yield* raise('wishes')
        return true
      })
      return revoked ?? false
    },

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
    ...createIdentifyRecords(engine),

    async unregister(clientId, serial, at) {
      const find = () => lockOwned(clientId, serial)
      const released = await suppressing(find, at, silence, function* (device) {
        // Missed payments of the old partner are not shown any more.
        const finish = yield* markAllShown(device.rowId, at)
        yield* rows(
          'devices.release',
          "UPDATE devices SET client_id = NULL, user_id = NULL, rm_code = '', active = true WHERE number = $1",
          [device.rowId],
        )
        yield* rows('devices.unlink', 'DELETE FROM device_stores WHERE device_number = $1', [device.rowId])
        yield* audit.note({ at, action: 'device.unregister', subject: serial, clientId })
        yield* endTelling(engine, device, at)
        yield* raise('stores')
        return { device: toDevice({ ...device, clientId: null, rmCode: '', active: true }, []), finish }
      })
      await released?.finish()
      return released?.device
    },

    setActive(clientId, serial, active, at) {
      const find = () => lockOwned(clientId, serial)
      const set = (device: DeviceRow) => setActive(device, clientId, active, at)
      if (!active) return suppressing(find, at, set, set)
      return writing(function* () {
        const device = yield* find()
        return device && (yield* set(device))
      })()
    },
  }
}
