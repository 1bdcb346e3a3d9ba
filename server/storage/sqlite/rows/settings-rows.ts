import { eq, sql } from 'drizzle-orm'
import type { DeviceSettings } from '../../../settings/settings.ts'
import type { StorageRules } from '../../rules.ts'
import type { Orm } from '../engine/database.ts'
import type { Revisions } from '../engine/revisions.ts'
import { devices } from '../schema/schema.ts'
import type { DeviceRow } from './device-rows.ts'

/** The settings in the rows of devices, inside the acts of other ports. */
export function createSettingsRows(orm: Orm, revisions: Revisions, rules: Pick<StorageRules, 'isPending'>) {
  const byId = orm
    .select()
    .from(devices)
    .where(eq(devices.id, sql.placeholder('id')))
    .prepare()

  function toSettings(row: DeviceRow): DeviceSettings {
    return {
      deviceId: row.id,
      serial: row.serial,
      desired: row.desiredSettings ?? undefined,
      reported: row.reportedSettings ?? undefined,
      languages: row.languages.split(' ').filter(Boolean),
    }
  }

  function store(row: DeviceRow, { desired, reported }: Pick<DeviceSettings, 'desired' | 'reported'>) {
    // Announcements use the language that the device really uses, unless it has no clips for it: a birth chose another.
    const { languages } = toSettings(row)
    const isSpoken = reported && (languages.length === 0 || languages.includes(reported.lang))
    const lang = isSpoken ? reported.lang : row.lang
    if (lang !== row.lang) revisions.raise('stores')
    orm
      .update(devices)
      .set({
        desiredSettings: desired ?? null,
        reportedSettings: reported ?? null,
        settingsDue: rules.isPending({ desired, reported }),
        lang,
      })
      .where(eq(devices.id, row.id))
      .run()
  }

  return { byId: (id: string) => byId.get({ id }), toSettings, store }
}
