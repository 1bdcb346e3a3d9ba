import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { DeviceRecords } from '../../../devices/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { isFor, isOpen, isUnseen } from '../rows/announcement-conditions.ts'
import type { CommandNumbers } from '../rows/command-numbers.ts'
import type { DeviceRows } from '../rows/device-rows.ts'
import type { StoreRows } from '../rows/store-rows.ts'
import { withoutNulls } from '../rows/without-nulls.ts'
import { announcements, deviceStores, devices } from '../schema/schema.ts'
import { sealedFields } from '../schema/sealed-columns.ts'
import { createRegister } from './registration.ts'

/** A literal: SQLite uses a partial index only for a query that repeats the text of its condition. */
const isAsked = sql`${devices.identifyAskedAt} is not null`

export function createDeviceRecords(
  database: OpenDatabase,
  vault: Vault,
  { rows, storeRows, numbers }: { rows: DeviceRows; storeRows: StoreRows; numbers: CommandNumbers },
  rules: StorageRules,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): DeviceRecords {
  const { orm, commits, writing, revisions, audit } = database
  const keys = sealedFields(vault, 'devices')

  const bySerial = (serial: string) => orm.select().from(devices).where(eq(devices.serial, serial)).get()
  const identifyRequests = () =>
    orm.select({ id: devices.id, at: devices.identifyAskedAt }).from(devices).where(isAsked).all()

  /** Commits an act that may suppress the open announcements of a device, and reports those after the commit. */
  async function suppressing<T>(at: number, act: (suppress: (deviceId: string) => void) => T): Promise<T> {
    let suppressed: { queuedAt: number }[] = []
    const result = await commits.write(() => {
      suppressed = []
      return act((deviceId) => {
        const open = and(isFor(deviceId), isOpen)
        const update = orm.update(announcements).set({ stage: 'suppressed', suppressedAt: at }).where(open)
        suppressed = update.returning({ queuedAt: announcements.queuedAt }).all()
      })
    })
    for (const { queuedAt } of suppressed) observe('suppressed', at - queuedAt)
    return result
  }

  return {
    mint: writing(({ id, serial, key, loginHash, at }) => {
      const sealed = keys.seal(id, 'key', key)
      const row = { id, serial, key: sealed, loginHash, deviceName: serial, createdAt: at }
      const added = orm.insert(devices).values(row).onConflictDoNothing({ target: devices.serial }).run()
      if (added.changes === 1) audit.note({ at, action: 'device.add', subject: serial })
      return added.changes === 1
    }),

    list: reading(() => {
      const { serial, clientId, active, revokedAt, firmware, model, lastBirthAt } = devices
      const found = orm
        .select({ serial, clientId, active, revokedAt, firmware, model, lastBirthAt })
        .from(devices)
        .orderBy(asc(devices.createdAt), asc(devices.id))
        .all()
      return found.map(withoutNulls)
    }),

    revoke(serial, at) {
      return suppressing(at, (suppress) => {
        const row = bySerial(serial)
        if (!row) return false
        if (row.revokedAt !== null) return true
        suppress(row.id)
        revisions.raise('wishes')
        revisions.raise('stores')
        orm.update(devices).set({ revokedAt: at }).where(eq(devices.id, row.id)).run()
        audit.note({ at, action: 'device.revoke', subject: serial })
        return true
      })
    },

    credentials: reading((serial) => {
      const row = bySerial(serial)
      if (!row) return undefined
      const key = keys.open(row.id, 'key', row.key)
      return { deviceId: row.id, serial, key, loginHash: row.loginHash, revoked: row.revokedAt !== null }
    }),

    revokedAmong: reading((serials) => {
      // One statement for any number of serials.
      const these = sql`${devices.serial} in (select value from json_each(${JSON.stringify(serials)}))`
      const found = orm
        .select({ serial: devices.serial })
        .from(devices)
        .where(and(these, isNotNull(devices.revokedAt)))
        .all()
      return found.map((row) => row.serial)
    }),

    findFor: reading((clientId, serial) => {
      const row = rows.visible(clientId, serial)
      return row && rows.withStores(row)
    }),

    register: createRegister(database, vault, { rows, storeRows }, rules),

    unregister(clientId, serial, at) {
      return suppressing(at, (suppress) => {
        const row = rows.owned(clientId, serial)
        if (!row) return undefined
        suppress(row.id)
        // Missed payments of the old partner are not shown any more.
        const missed = and(isFor(row.id), isUnseen)
        orm.update(announcements).set({ missedShownAt: at }).where(missed).run()
        revisions.raise('stores')
        orm.delete(deviceStores).where(eq(deviceStores.deviceRowId, row.rowId)).run()
        const free = { clientId: null, userId: null, rmCode: '', active: true }
        orm.update(devices).set(free).where(eq(devices.id, row.id)).run()
        audit.note({ at, action: 'device.unregister', subject: serial, clientId })
        return rows.withStores({ ...row, ...free })
      })
    },

    setActive(clientId, serial, active, at) {
      return suppressing(at, (suppress) => {
        const row = rows.owned(clientId, serial)
        if (!row) return undefined
        if (!active) suppress(row.id)
        revisions.raise('stores')
        orm.update(devices).set({ active }).where(eq(devices.id, row.id)).run()
        const action = active ? 'device.unlock' : 'device.lock'
        if (active !== row.active) audit.note({ at, action, subject: serial, clientId })
        return { deviceId: row.id }
      })
    },

    recordBirth: writing((deviceId, born, at) => {
      const mine = eq(devices.id, deviceId)
      const known = orm.select({ lang: devices.lang }).from(devices).where(mine).get()
      if (!known) return
      const { firmware, model, languages } = born
      const lang = rules.languageAfterBirth(known.lang, languages)
      if (lang !== known.lang) revisions.raise('stores')
      orm
        .update(devices)
        .set({ firmware, model, languages: languages.join(' '), lang, lastBirthAt: at })
        .where(mine)
        .run()
      numbers.raise(deviceId, born.played)
    }),

    askIdentify: writing((serial, at) => {
      const known = and(eq(devices.serial, serial), isNull(devices.revokedAt))
      const { changes } = orm.update(devices).set({ identifyAskedAt: at }).where(known).run()
      if (changes === 0) return false
      revisions.raise('wishes')
      audit.note({ at, action: 'device.identify', subject: serial })
      return true
    }),

    takeIdentifyRequests: reading((since) => {
      if (identifyRequests().length === 0) return []
      return commits.write(() => {
        const requests = identifyRequests()
        orm.update(devices).set({ identifyAskedAt: null }).where(isAsked).run()
        return requests.flatMap(({ id, at }) => (at !== null && at >= since ? [id] : []))
      })
    }),

    recordIdentified: writing((deviceId, at) => {
      orm.update(devices).set({ identifiedAt: at }).where(eq(devices.id, deviceId)).run()
    }),

    identifiedAt: reading((serial) => bySerial(serial)?.identifiedAt ?? undefined),
  }
}
