import type { DeviceRecords } from '../../../devices/ports.ts'
import { type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'

/** Requests of the command line to let a device beep and flash. The running hub takes them. */
export function createIdentifyRecords({
  reading,
  writing,
  raise,
}: Engine): Pick<
  DeviceRecords,
  'askIdentify' | 'takeIdentifyRequests' | 'recordIdentified' | 'identifiedAt'
> {
  const requests = () =>
    rows<{ id: string; at: number }>(
      'devices.identifyRequests',
      `SELECT id, identify_asked_at AS at FROM devices WHERE identify_asked_at IS NOT NULL ORDER BY number`,
    )
  const readRequests = reading(requests)
  const take = writing(function* (since: number) {
    const taken: string[] = []
    for (const { id, at } of yield* requests()) {
      // Another hub may have taken it meanwhile, or the operator has asked again.
      const own = yield* row(
        'devices.takeIdentifyRequest',
        'UPDATE devices SET identify_asked_at = NULL WHERE id = $1 AND identify_asked_at = $2 RETURNING 1',
        [id, at],
      )
      if (own && at >= since) taken.push(id)
    }
    return taken
  })

  return {
    askIdentify: writing(function* (by, serial, at) {
      const asked = yield* row(
        'devices.askIdentify',
        'UPDATE devices SET identify_asked_at = $2 WHERE serial = $1 AND revoked_at IS NULL RETURNING 1',
        [serial, at],
      )
      if (!asked) return false
      yield* noteChange({ by, at, action: 'device.identify', subject: serial })
      yield* raise('wishes')
      return true
    }),

    async takeIdentifyRequests(since) {
      const waiting = await readRequests()
      return waiting.length === 0 ? [] : take(since)
    },

    recordIdentified: writing(function* (deviceId, at) {
      yield* rows('devices.recordIdentified', 'UPDATE devices SET identified_at = $2 WHERE id = $1', [
        deviceId,
        at,
      ])
    }),

    identifiedAt: reading(function* (serial) {
      const found = yield* row<{ at: number | null }>(
        'devices.identifiedAt',
        'SELECT identified_at AS at FROM devices WHERE serial = $1',
        [serial],
      )
      return found?.at ?? undefined
    }),
  }
}
