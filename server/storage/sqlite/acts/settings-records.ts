import { and, eq, isNull, sql } from 'drizzle-orm'
import type { SettingsAuthority, SettingsRecords } from '../../../settings/ports.ts'
import {
  catchUpSettings,
  type DeviceSettings,
  isPending,
  type Settings,
  settingsSchema,
} from '../../../settings/settings.ts'
import type { StorageRules } from '../../ports.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { devices } from '../schema/schema.ts'

/** Written as a literal, because SQLite uses the partial index only for a query that repeats its condition. */
const isDue = sql`${devices.settingsDue} = 1`

export function createSettingsRecords(
  { orm, commits, revisions }: OpenDatabase,
  { planSettings }: Pick<StorageRules, 'planSettings'>,
): SettingsRecords {
  const columns = {
    deviceId: devices.id,
    serial: devices.serial,
    clientId: devices.clientId,
    desired: devices.desiredSettings,
    reported: devices.reportedSettings,
    languages: devices.languages,
  }
  const bySerial = orm
    .select(columns)
    .from(devices)
    .where(and(eq(devices.serial, sql.placeholder('serial')), isNull(devices.revokedAt)))
    .prepare()
  const byId = orm
    .select(columns)
    .from(devices)
    .where(eq(devices.id, sql.placeholder('id')))
    .prepare()

  function toSettings(row: NonNullable<ReturnType<typeof bySerial.get>>): DeviceSettings {
    const { deviceId, serial, desired, reported, languages } = row
    return {
      deviceId,
      serial,
      desired: parsed(desired),
      reported: parsed(reported),
      languages: languages.split(' ').filter(Boolean),
    }
  }

  function owned(who: SettingsAuthority, serial: string): DeviceSettings | undefined {
    const row = bySerial.get({ serial })
    if (!row || (who !== 'operator' && row.clientId !== who.clientId)) return undefined
    return toSettings(row)
  }

  function keep(deviceId: string, { desired, reported }: Pick<DeviceSettings, 'desired' | 'reported'>) {
    orm
      .update(devices)
      .set({
        desiredSettings: written(desired),
        reportedSettings: written(reported),
        settingsDue: isPending({ desired, reported }),
        // Announcements are made in the language that the device really uses.
        ...(reported && { lang: reported.lang }),
      })
      .where(eq(devices.id, deviceId))
      .run()
  }

  return {
    find: async (who, serial) => owned(who, serial),

    change(who, serial, change) {
      return commits.write(() => {
        const known = owned(who, serial)
        if (!known) return undefined
        const plan = planSettings(known, change)
        if (plan.kind !== 'changed') return { plan, settings: known }
        const settings = { ...known, desired: plan.desired }
        keep(known.deviceId, settings)
        // What a partner asks for is told by the hub itself.
        if (who === 'operator') revisions.raise('wishes')
        return { plan, settings }
      })
    },

    report(deviceId, reported) {
      return commits.write(() => {
        const row = byId.get({ id: deviceId })
        if (row) keep(deviceId, { desired: parsed(row.desired), reported })
      })
    },

    catchUp(deviceId, inForce) {
      return commits.write(() => {
        const row = byId.get({ id: deviceId })
        const known = row && toSettings(row)
        if (!known) return undefined
        const desired = catchUpSettings(known, inForce)
        if (desired && desired.ver !== known.desired?.ver) keep(deviceId, { ...known, desired })
        return desired
      })
    },

    async due(serials) {
      const there = new Set(serials)
      const rows = orm.select(columns).from(devices).where(isDue).all()
      return rows.flatMap(({ deviceId, serial, desired }) => {
        const settings = there.has(serial) ? parsed(desired) : undefined
        return settings ? [{ deviceId, desired: settings }] : []
      })
    },
  }
}

/** The column holds what `written` has made of a document. */
function parsed(text: string | null): Settings | undefined {
  return text === null ? undefined : settingsSchema.parse(JSON.parse(text))
}

function written(settings: Settings | undefined): string | null {
  return settings ? JSON.stringify(settings) : null
}
