import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import type { MaintenanceCap, MaintenanceRecords } from '../../../devices/maintenance.ts'
import type { Vault } from '../../../security/vault.ts'
import { isAble, toDue } from '../../shared/device-mapping.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { deviceOffers, deviceRekeys, devices } from '../schema/schema.ts'

export function createMaintenanceRecords(
  { orm, writing, revisions, audit }: OpenDatabase,
  vault: Vault,
): MaintenanceRecords {
  const nextKeys = sealedFields(vault, 'deviceRekeys')
  const { id, caps, firmware } = devices
  const isOther = ne(sql`${deviceOffers.offer} ->> 'fw'`, firmware)
  const isOneOf = sql`${id} in (select value from json_each(${sql.placeholder('ids')}))`
  const waiting = orm
    .select({
      ...{ deviceId: id, caps, key: deviceRekeys.key, keySince: deviceRekeys.since },
      ...{ offer: deviceOffers.offer, offerSince: deviceOffers.since },
    })
    .from(devices)
    .leftJoin(deviceRekeys, eq(deviceRekeys.id, id))
    .leftJoin(deviceOffers, and(eq(deviceOffers.id, id), isOther))
    .where(and(isOneOf, sql`coalesce(${deviceRekeys.id}, ${deviceOffers.id}) is not null`))
    .prepare()

  function find(serial: string, cap: MaintenanceCap) {
    const known = and(eq(devices.serial, serial), isNull(devices.revokedAt))
    const row = orm.select({ id: devices.id, caps: devices.caps }).from(devices).where(known).get()
    return row && { id: row.id, isAble: isAble(row.caps, cap) }
  }

  return {
    rotate: writing((serial, { key, loginHash }, at) => {
      const device = find(serial, 'rekey')
      if (!device) return undefined
      const { id, isAble } = device
      const next = { key: nextKeys.seal(id, 'key', key), loginHash, since: at }
      orm
        .insert(deviceRekeys)
        .values({ id, ...next })
        .onConflictDoUpdate({ target: deviceRekeys.id, set: next })
        .run()
      revisions.raise('wishes')
      audit.note({ at, action: 'device.rotate', subject: serial })
      return { isAble }
    }),

    offer: writing((serial, offer, at) => {
      const device = find(serial, 'update')
      if (!device) return undefined
      const { id, isAble } = device
      orm.delete(deviceOffers).where(eq(deviceOffers.id, id)).run()
      if (offer) orm.insert(deviceOffers).values({ id, offer, since: at }).run()
      revisions.raise('wishes')
      audit.note({ at, action: 'device.update', subject: serial, details: { fw: offer?.fw ?? null } })
      return { isAble }
    }),

    due: reading((deviceIds) => {
      const rows = waiting.all({ ids: JSON.stringify(deviceIds) })
      return rows.map((row) => toDue(nextKeys, row))
    }),
  }
}
