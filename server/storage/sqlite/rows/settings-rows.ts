import { eq, sql } from 'drizzle-orm'
import type { DeviceSettings } from '../../../settings/settings.ts'
import type { StorageRules } from '../../rules.ts'
import { languageOf } from '../../shared/settings-mapping.ts'
import type { Orm } from '../engine/database.ts'
import type { Revisions } from '../engine/revisions.ts'
import { devices } from '../schema/schema.ts'

type DeviceRow = typeof devices.$inferSelect

/** The settings in the rows of devices, inside the acts of other ports. */
export function createSettingsRows(orm: Orm, revisions: Revisions, rules: Pick<StorageRules, 'isPending'>) {
  const byId = orm
    .select()
    .from(devices)
    .where(eq(devices.id, sql.placeholder('id')))
    .prepare()

  function store(row: DeviceRow, { desired, reported }: Pick<DeviceSettings, 'desired' | 'reported'>) {
    const lang = languageOf(row, reported)
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

  return { byId: (id: string) => byId.get({ id }), store }
}
