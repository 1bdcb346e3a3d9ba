import type { FirmwareOffer, MaintenanceRecords } from '../../../devices/maintenance.ts'
import { type DueRow, isAble, toDue } from '../../shared/device-mapping.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { type Engine, fromJson, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { lockLiveDevice } from '../device-rows.ts'

export function createMaintenanceRecords(engine: Engine): MaintenanceRecords {
  const { reading, writing, raise, among, vault } = engine
  const nextKeys = sealedFields(vault, 'deviceRekeys')

  return {
    rotate: writing(function* (by, serial, { key, loginHash }, at) {
      // A birth may put its next key in force.
      const device = yield* lockLiveDevice(engine, serial)
      if (!device) return undefined
      yield* rows(
        'maintenance.rotate',
        `INSERT INTO device_rekeys (id, key, login_hash, since) VALUES ($1, $2, $3, $4)
         ON CONFLICT (id) DO UPDATE
         SET key = excluded.key, login_hash = excluded.login_hash, since = excluded.since`,
        [device.id, nextKeys.seal(device.id, 'key', key), loginHash, at],
      )
      yield* noteChange({ by, at, action: 'device.rotate', subject: serial })
      yield* raise('wishes')
      return { isAble: isAble(device.caps, 'rekey') }
    }),

    offer: writing(function* (by, serial, offer, at) {
      const device = yield* lockLiveDevice(engine, serial)
      if (!device) return undefined
      yield* rows('maintenance.endOffer', 'DELETE FROM device_offers WHERE id = $1', [device.id])
      if (offer)
        yield* rows('maintenance.offer', 'INSERT INTO device_offers (id, offer, since) VALUES ($1, $2, $3)', [
          device.id,
          JSON.stringify(offer),
          at,
        ])
      const details = { fw: offer?.fw ?? null }
      yield* noteChange({ by, at, action: 'device.update', subject: serial, details })
      yield* raise('wishes')
      return { isAble: isAble(device.caps, 'update') }
    }),

    due: reading(function* (deviceIds) {
      const found = yield* rows<Omit<DueRow, 'offer'> & { offer: FirmwareOffer | string | null }>(
        'maintenance.due',
        `SELECT d.id AS "deviceId", d.caps, r.key, r.since AS "keySince", o.offer, o.since AS "offerSince"
         FROM devices d
           LEFT JOIN device_rekeys r ON r.id = d.id
           LEFT JOIN device_offers o ON o.id = d.id AND o.offer ->> 'fw' <> d.firmware
         WHERE ${among('d.id', '$1')} AND coalesce(r.id, o.id) IS NOT NULL`,
        [deviceIds],
      )
      return found.map((row) => toDue(nextKeys, { ...row, offer: fromJson(row.offer) }))
    }),
  }
}
