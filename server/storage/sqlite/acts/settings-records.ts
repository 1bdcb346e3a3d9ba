import { sql } from 'drizzle-orm'
import type { SettingsAuthority, SettingsRecords } from '../../../settings/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { changesOf, isChange, toSettings } from '../../shared/settings-mapping.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import type { DeviceRow, DeviceRows } from '../rows/device-rows.ts'
import type { EventRows } from '../rows/event-rows.ts'
import { createSettingsRows } from '../rows/settings-rows.ts'
import { devices } from '../schema/schema.ts'

/** A literal: SQLite uses a partial index only for a query that repeats the text of its condition. */
const isDue = sql`${devices.settingsDue} = 1`

export function createSettingsRecords(
  { orm, writing, revisions, audit }: OpenDatabase,
  rows: DeviceRows,
  events: EventRows,
  rules: Pick<StorageRules, 'planSettings' | 'isPending'>,
): SettingsRecords {
  const { byId, store } = createSettingsRows(orm, revisions, rules)

  function ownedRow(who: SettingsAuthority, serial: string): DeviceRow | undefined {
    const row = rows.bySerial(serial)
    return row && (who === 'operator' || row.clientId === who.clientId) ? row : undefined
  }

  return {
    find: reading((who, serial) => {
      const row = ownedRow(who, serial)
      return row && toSettings(row)
    }),

    change: writing((who, serial, change, at) => {
      const row = ownedRow(who, serial)
      if (!row) return undefined
      const known = toSettings(row)
      const plan = rules.planSettings(known, change)
      if (plan.kind !== 'changed') return { plan, settings: known }
      const settings = { ...known, desired: plan.desired }
      store(row, settings)
      const details = changesOf(known, plan.desired)
      const by = who === 'operator' ? {} : who
      audit.note({ at, action: 'device.settings', subject: serial, ...by, details })
      // The hub itself sends the change of a partner. The command line is another process, and asks the hub to.
      if (who === 'operator') revisions.raise('wishes')
      return { plan, settings }
    }),

    report: writing((deviceId, reported, at) => {
      const row = byId(deviceId)
      if (!row) return
      if (isChange(row.reportedSettings, reported)) events.addOf(row, 'settings.applied', at, { ...reported })
      store(row, { desired: row.desiredSettings ?? undefined, reported })
    }),

    due: reading((serials) => {
      const there = new Set(serials)
      const due = orm.select().from(devices).where(isDue).all()
      return due.flatMap(({ id, serial, desiredSettings: desired }) =>
        desired && there.has(serial) ? [{ deviceId: id, desired }] : [],
      )
    }),
  }
}
