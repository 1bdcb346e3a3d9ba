import type { DeviceRecords } from '../../../devices/ports.ts'
import { type Actor, mayChange } from '../../../security/actor.ts'
import type { StorageObserver } from '../../ports.ts'
import { type Act, type Engine, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { endTelling, eventOf } from '../device-events.ts'
import { type DeviceRow, lockDevice, lockLiveDevice, toDevice } from '../device-rows.ts'
import type { MissedMarks } from './missed-marks.ts'
import { createSuppressing } from './suppressing.ts'

/** The acts after which a device has no open announcements any more, and the unlock. */
export function createSuppressingActs(
  engine: Engine,
  markAllShown: MissedMarks['markAllShown'],
  observer: Pick<StorageObserver, 'stage'>,
): Pick<DeviceRecords, 'revoke' | 'unregister' | 'setActive'> {
  const { writing, events, raise } = engine
  const suppressing = createSuppressing(engine, observer)

  function* storeActive({ rowId }: DeviceRow, active: boolean): Act<void> {
    yield* rows('devices.setActive', 'UPDATE devices SET active = $2 WHERE number = $1', [rowId, active])
    yield* raise('stores')
  }

  const silence = (device: DeviceRow) => storeActive(device, false)

  return {
    async revoke(by, serial, at) {
      const find = () => lockDevice(engine, 'serial', serial)
      const revoked = await suppressing(find, at, silence, function* (device) {
        if (device.revokedAt !== null) return true
        yield* rows('devices.revoke', 'UPDATE devices SET revoked_at = $2 WHERE number = $1', [
          device.rowId,
          at,
        ])
        yield* noteChange({ by, at, action: 'device.revoke', subject: serial })
        yield* endTelling(engine, device, at)
        yield* raise('stores')
        yield* raise('wishes')
        return true
      })
      return revoked ?? false
    },

    async unregister(by, serial, at) {
      const find = () => lockRegistered(engine, by, serial)
      const released = await suppressing(find, at, silence, function* (device) {
        // Missed payments of the old partner are not shown any more.
        const finish = yield* markAllShown(device.rowId, at)
        yield* release(device)
        yield* noteChange({ by, at, action: 'device.unregister', subject: serial })
        yield* endTelling(engine, device, at)
        yield* raise('stores')
        return { device: toDevice({ ...device, clientId: null, rmCode: '', active: true }, []), finish }
      })
      await released?.finish()
      return released?.device
    },

    setActive(by, serial, active, at) {
      const find = () => lockRegistered(engine, by, serial)
      function* set(device: DeviceRow) {
        if (active !== device.active) {
          const action = active ? 'device.unlock' : 'device.lock'
          yield* noteChange({ by, at, action, subject: serial })
          yield* events(eventOf(device, `${action}ed`, at))
          yield* storeActive(device, active)
        }
        return { deviceId: device.id }
      }
      if (!active) return suppressing(find, at, set, set)
      return writing(function* () {
        const device = yield* find()
        return device && (yield* set(device))
      })()
    },
  }
}

/** Locks a device that a partner has registered, and that the actor may change. */
function* lockRegistered(engine: Engine, by: Actor, serial: string): Act<DeviceRow | undefined> {
  const device = yield* lockLiveDevice(engine, serial)
  return device && device.clientId !== null && mayChange(by, device.clientId) ? device : undefined
}

function* release({ rowId }: DeviceRow): Act<void> {
  yield* rows(
    'devices.release',
    "UPDATE devices SET client_id = NULL, user_id = NULL, rm_code = '', active = true WHERE number = $1",
    [rowId],
  )
  yield* rows('devices.unlink', 'DELETE FROM device_stores WHERE device_number = $1', [rowId])
}
