import type { FirmwareOffer, MaintenanceCap, MaintenanceRecords } from '../../../devices/maintenance.ts'
import { type DueRow, isAble, toDue } from '../../shared/device-mapping.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'
import { live, lockDeviceBySerial } from '../rows/device-rows.ts'

export function createMaintenanceRecords({
  read,
  write,
  revisions,
  audit,
  vault,
}: PostgresDatabase): MaintenanceRecords {
  const nextKeys = sealedFields(vault, 'deviceRekeys')

  /** Locks the device: a birth may put its next key in force. */
  async function lock(tx: Tx, serial: string, cap: MaintenanceCap) {
    const row = live(await lockDeviceBySerial(tx, serial))
    return row && { id: row.id, isAble: isAble(row.caps, cap) }
  }

  async function setOffer(tx: Tx, id: string, offer: FirmwareOffer | undefined, at: number) {
    await tx.query('devices.endOffer', 'DELETE FROM device_offers WHERE id = $1', [id])
    if (offer)
      await tx.query('devices.offer', 'INSERT INTO device_offers (id, offer, since) VALUES ($1, $2, $3)', [
        id,
        JSON.stringify(offer),
        at,
      ])
  }

  return {
    rotate: (serial, { key, loginHash }, at) =>
      write(async (tx) => {
        const device = await lock(tx, serial, 'rekey')
        if (!device) return undefined
        const { id, isAble } = device
        await tx.query(
          'devices.rotate',
          `INSERT INTO device_rekeys (id, key, login_hash, since) VALUES ($1, $2, $3, $4)
           ON CONFLICT (id) DO UPDATE
           SET key = excluded.key, login_hash = excluded.login_hash, since = excluded.since`,
          [id, nextKeys.seal(id, 'key', key), loginHash, at],
        )
        await audit.note(tx, { at, action: 'device.rotate', subject: serial })
        await revisions.raise(tx, 'wishes')
        return { isAble }
      }),

    offer: (serial, offer, at) =>
      write(async (tx) => {
        const device = await lock(tx, serial, 'update')
        if (!device) return undefined
        await setOffer(tx, device.id, offer, at)
        const details = { fw: offer?.fw ?? null }
        await audit.note(tx, { at, action: 'device.update', subject: serial, details })
        await revisions.raise(tx, 'wishes')
        return { isAble: device.isAble }
      }),

    async due(deviceIds) {
      const rows = await read<DueRow>(
        'maintenance.due',
        `SELECT d.id AS "deviceId", d.caps, r.key, r.since AS "keySince", o.offer, o.since AS "offerSince"
         FROM devices d
           LEFT JOIN device_rekeys r ON r.id = d.id
           LEFT JOIN device_offers o ON o.id = d.id AND o.offer ->> 'fw' <> d.firmware
         WHERE d.id = ANY($1::text[]) AND coalesce(r.id, o.id) IS NOT NULL`,
        [deviceIds],
      )
      return rows.map((row) => toDue(nextKeys, row))
    },
  }
}
