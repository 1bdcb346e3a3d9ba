import { and, asc, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import type { DeviceRecords } from '../../devices/ports.ts'
import type { Vault } from '../../vault.ts'
import { isOpen, isUnseen } from './announcement-conditions.ts'
import type { OpenDatabase } from './database.ts'
import type { DeviceRows } from './device-rows.ts'
import { registration } from './registration.ts'
import { announcements, deviceStores, devices } from './schema.ts'
import { sealedFields } from './sealed-columns.ts'
import type { StoreRows } from './store-rows.ts'

/** SQLite's bound on variables in a statement is far above this; it keeps a statement short. */
const SERIALS_AT_ONCE = 500

export function createDeviceRecords(
  database: OpenDatabase,
  vault: Vault,
  rows: DeviceRows,
  storeRows: StoreRows,
): DeviceRecords {
  const { orm, commits } = database
  const keys = sealedFields(vault, 'devices')

  /** What was still to be spoken, or to be shown as missed, is no longer this device's business. */
  function suppressOpen(deviceId: string, at: number) {
    const mine = eq(announcements.deviceId, deviceId)
    orm.update(announcements).set({ stage: 'suppressed', suppressedAt: at }).where(and(mine, isOpen)).run()
  }

  function forgetMissed(deviceId: string, at: number) {
    orm
      .update(announcements)
      .set({ missedShownAt: at })
      .where(and(eq(announcements.deviceId, deviceId), isUnseen))
      .run()
  }

  return {
    mint({ id, serial, key, loginHash, at }) {
      return commits.write(() => {
        const row = {
          id,
          serial,
          key: keys.seal(id, 'key', key),
          loginHash,
          deviceName: serial,
          createdAt: at,
        }
        return (
          orm.insert(devices).values(row).onConflictDoNothing({ target: devices.serial }).run().changes === 1
        )
      })
    },

    async list() {
      const found = orm.select().from(devices).orderBy(asc(devices.createdAt), asc(devices.id)).all()
      return found.map((row) => ({
        serial: row.serial,
        clientId: row.clientId ?? undefined,
        active: row.active,
        revokedAt: row.revokedAt ?? undefined,
        firmware: row.firmware,
        model: row.model,
        lastBirthAt: row.lastBirthAt ?? undefined,
      }))
    },

    revoke(serial, at) {
      return commits.write(() => {
        const row = orm.select().from(devices).where(eq(devices.serial, serial)).get()
        if (!row) return false
        if (row.revokedAt !== null) return true
        suppressOpen(row.id, at)
        orm.update(devices).set({ revokedAt: at }).where(eq(devices.id, row.id)).run()
        return true
      })
    },

    async credentials(serial) {
      const row = orm.select().from(devices).where(eq(devices.serial, serial)).get()
      if (!row) return undefined
      const key = keys.open(row.id, 'key', row.key)
      return { deviceId: row.id, serial, key, loginHash: row.loginHash, revoked: row.revokedAt !== null }
    },

    async revokedAmong(serials) {
      const gone: string[] = []
      for (let from = 0; from < serials.length; from += SERIALS_AT_ONCE) {
        const some = inArray(devices.serial, serials.slice(from, from + SERIALS_AT_ONCE))
        const found = orm
          .select({ serial: devices.serial })
          .from(devices)
          .where(and(some, isNotNull(devices.revokedAt)))
          .all()
        gone.push(...found.map((row) => row.serial))
      }
      return gone
    },

    async findFor(clientId, serial) {
      const row = rows.visible(clientId, serial)
      return row && rows.withStores(row)
    },

    register: registration(database, vault, rows, storeRows),

    unregister(clientId, serial, at) {
      return commits.write(() => {
        const row = rows.owned(clientId, serial)
        if (!row) return undefined
        suppressOpen(row.id, at)
        forgetMissed(row.id, at)
        orm.delete(deviceStores).where(eq(deviceStores.deviceId, row.id)).run()
        const free = { clientId: null, userId: null, rmCode: '', active: true }
        orm.update(devices).set(free).where(eq(devices.id, row.id)).run()
        return rows.withStores({ ...row, ...free })
      })
    },

    setActive(clientId, serial, active, at) {
      return commits.write(() => {
        const row = rows.owned(clientId, serial)
        if (!row) return undefined
        if (!active) suppressOpen(row.id, at)
        orm.update(devices).set({ active }).where(eq(devices.id, row.id)).run()
        return { deviceId: row.id }
      })
    },

    recordBirth(deviceId, birth, at) {
      return commits.write(() => {
        orm
          .update(devices)
          .set({
            firmware: birth.fw,
            model: birth.model,
            lastBirthAt: at,
            n: sql`max(${devices.n}, ${birth.played})`,
          })
          .where(eq(devices.id, deviceId))
          .run()
      })
    },

    recordSettings(deviceId, settings) {
      return commits.write(() => {
        const reported = { settings: JSON.stringify(settings), lang: settings.lang }
        orm.update(devices).set(reported).where(eq(devices.id, deviceId)).run()
      })
    },
  }
}
