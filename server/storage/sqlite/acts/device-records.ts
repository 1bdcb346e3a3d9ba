import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { DeviceRecords } from '../../../devices/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageObserver } from '../../ports.ts'
import { OPEN } from '../../shared/announcement-conditions.ts'
import { type CredentialsRow, createCredentialsMapping } from '../../shared/device-mapping.ts'
import { FIRST_PAGE, PAGE } from '../../shared/pages.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import type { DeviceRow, DeviceRows } from '../rows/device-rows.ts'
import type { EventRows } from '../rows/event-rows.ts'
import { deviceStores, devices } from '../schema/schema.ts'
import type { Missed } from './outbox/missed.ts'

/** No limit. */
const ALL = -1
/** A literal: SQLite uses a partial index only for a query that repeats the text of its condition. */
const isAsked = sql`${devices.identifyAskedAt} is not null`

interface DeviceParts {
  rows: DeviceRows
  events: EventRows
  missed: Pick<Missed, 'markAllShown'>
}

export function createDeviceRecords(
  database: OpenDatabase,
  vault: Vault,
  { rows, events, missed }: DeviceParts,
  register: DeviceRecords['register'],
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): DeviceRecords {
  const { orm, commits, writing, revisions, audit } = database
  const keys = sealedFields(vault, 'devices')
  const toCredentials = createCredentialsMapping(vault)

  const bySerial = (serial: string) => orm.select().from(devices).where(eq(devices.serial, serial)).get()
  // No join: with one, SQLite takes three times as long, measured, for the same look-ups.
  const next = (column: string) => `(SELECT r.${column} FROM device_rekeys r WHERE r.id = devices.id)`
  const credentialsOf = orm.$client.prepare<[serial: string], CredentialsRow>(
    `SELECT id AS deviceId, key, login_hash AS loginHash, revoked_at AS revokedAt,
       ${next('key')} AS nextKey, ${next('login_hash')} AS nextLoginHash
     FROM devices WHERE serial = ?`,
  )
  const identifyRequests = () =>
    orm.select({ id: devices.id, at: devices.identifyAskedAt }).from(devices).where(isAsked).all()

  const hasManyOpen = orm.$client.prepare<{ rowId: number }>(
    `SELECT 1 FROM announcements WHERE device_number = @rowId AND ${OPEN} LIMIT 1 OFFSET ${FIRST_PAGE}`,
  )
  const suppressOpen = orm.$client.prepare<
    { rowId: number; at: number; limit: number },
    { queuedAt: number }
  >(
    `UPDATE announcements SET stage = 'suppressed', suppressed_at = @at
     WHERE number IN (SELECT number FROM announcements WHERE device_number = @rowId AND ${OPEN} LIMIT @limit)
     RETURNING queued_at AS queuedAt`,
  )

  /**
   * Commits an act that may suppress the open announcements of a device, and reports those after the commit. A device
   * with many is locked before by `lock`, and most are suppressed page by page; only the act itself says that it is done.
   */
  async function suppressing<T>(
    find: () => DeviceRow | undefined,
    at: number,
    act: (row: DeviceRow, suppress: () => void) => T,
    lock: (row: DeviceRow) => void = (row) => setLock(row, false),
  ): Promise<T | undefined> {
    const report = (suppressed: { queuedAt: number }[]) => {
      for (const { queuedAt } of suppressed) observe('suppressed', at - queuedAt)
    }
    const before = find()
    if (before && hasManyOpen.get({ rowId: before.rowId }))
      await commits.writePages(FIRST_PAGE, (limit) => suppressPage(find(), at, limit, lock), report)
    let suppressed: { queuedAt: number }[] = []
    const result = await commits.write(() => {
      suppressed = []
      const row = find()
      return (
        row &&
        act(row, () => {
          suppressed = suppressOpen.all({ rowId: row.rowId, at, limit: ALL })
        })
      )
    })
    report(suppressed)
    return result
  }

  function setLock({ id }: DeviceRow, active: boolean) {
    revisions.raise('stores')
    orm.update(devices).set({ active }).where(eq(devices.id, id)).run()
  }

  /** Locks the device, so that no announcement follows, and suppresses some that are open. */
  function suppressPage(
    row: DeviceRow | undefined,
    at: number,
    limit: number,
    lock: (row: DeviceRow) => void,
  ) {
    if (!row) return { value: [], next: undefined }
    if (row.active) lock(row)
    const value = suppressOpen.all({ rowId: row.rowId, at, limit })
    return { value, next: value.length < limit ? undefined : PAGE }
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

    revoke: reading(async (serial, at) => {
      const find = () => bySerial(serial)
      const revoked = suppressing(find, at, (row, suppress) => {
        if (row.revokedAt !== null) return true
        suppress()
        revisions.raise('wishes')
        revisions.raise('stores')
        orm.update(devices).set({ revokedAt: at }).where(eq(devices.id, row.id)).run()
        audit.note({ at, action: 'device.revoke', subject: serial })
        // To its partner, a revoked device does not exist.
        events.addOf(row, 'device.unregistered', at)
        events.forget(row.rowId)
        return true
      })
      return (await revoked) ?? false
    }),

    credentials: reading((serial) => {
      const row = credentialsOf.get(serial)
      return row && toCredentials(serial, row)
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

    register,

    unregister: reading(async (clientId, serial, at) => {
      const find = () => rows.owned(clientId, serial)
      const released = await suppressing(find, at, (row, suppress) => {
        suppress()
        // Missed payments of the old partner are not shown any more.
        const finish = missed.markAllShown(row.rowId, at)
        revisions.raise('stores')
        orm.delete(deviceStores).where(eq(deviceStores.deviceRowId, row.rowId)).run()
        const free = { clientId: null, userId: null, rmCode: '', active: true }
        orm.update(devices).set(free).where(eq(devices.id, row.id)).run()
        audit.note({ at, action: 'device.unregister', subject: serial, clientId })
        events.addOf(row, 'device.unregistered', at)
        events.forget(row.rowId)
        return { device: rows.withStores({ ...row, ...free }), finish }
      })
      await released?.finish()
      return released?.device
    }),

    setActive: reading((clientId, serial, active, at) => {
      const find = () => rows.owned(clientId, serial)
      const set = (row: DeviceRow) => {
        setLock(row, active)
        const action = active ? 'device.unlock' : 'device.lock'
        if (active !== row.active) {
          audit.note({ at, action, subject: serial, clientId })
          events.addOf(row, `${action}ed`, at)
        }
        return { deviceId: row.id }
      }
      if (!active)
        return suppressing(
          find,
          at,
          (row, suppress) => {
            suppress()
            return set(row)
          },
          set,
        )
      return commits.write(() => {
        const row = find()
        return row && set(row)
      })
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
