import type { SettingsAuthority, SettingsRecords } from '../../../settings/ports.ts'
import type { DeviceSettings, Settings } from '../../../settings/settings.ts'
import type { StorageRules } from '../../rules.ts'
import { changesOf, isChange, languageOf, toSettings } from '../../shared/settings-mapping.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'
import {
  type DeviceRow,
  deviceBySerial,
  live,
  lockDeviceById,
  lockDeviceBySerial,
  owned,
} from '../rows/device-rows.ts'
import { addEvents, eventOf } from '../rows/event-rows.ts'

export function createSettingsRecords(
  { read, write, revisions, audit }: PostgresDatabase,
  rules: Pick<StorageRules, 'planSettings' | 'isPending'>,
): SettingsRecords {
  const permitted = (who: SettingsAuthority, row: DeviceRow | undefined) =>
    who === 'operator' ? live(row) : owned(who.clientId, row)

  /** Stores the settings of a locked device. */
  async function store(tx: Tx, row: DeviceRow, known: Pick<DeviceSettings, 'desired' | 'reported'>) {
    const { desired, reported } = known
    const lang = languageOf(row, reported)
    await tx.query(
      'settings.store',
      `UPDATE devices SET desired_settings = $2, reported_settings = $3, settings_due = $4, lang = $5
       WHERE number = $1`,
      [row.rowId, json(desired), json(reported), rules.isPending(known), lang],
    )
  }

  return {
    async find(who, serial) {
      const row = permitted(who, await deviceBySerial(read, serial))
      return row && toSettings(row)
    },

    change: (who, serial, change, at) =>
      write(async (tx) => {
        const row = permitted(who, await lockDeviceBySerial(tx, serial))
        if (!row) return undefined
        const known = toSettings(row)
        const plan = rules.planSettings(known, change)
        if (plan.kind !== 'changed') return { plan, settings: known }
        const settings = { ...known, desired: plan.desired }
        await store(tx, row, settings)
        const details = changesOf(known, plan.desired)
        const by = who === 'operator' ? {} : who
        await audit.note(tx, { at, action: 'device.settings', subject: serial, ...by, details })
        // The hub itself sends the change of a partner. The command line is another process, and asks the hub to.
        if (who === 'operator') await revisions.raise(tx, 'wishes')
        return { plan, settings }
      }),

    report: (deviceId, reported, at) =>
      write(async (tx) => {
        const row = await lockDeviceById(tx, deviceId)
        if (!row) return
        if (isChange(row.reportedSettings, reported))
          await addEvents(tx, eventOf(row, 'settings.applied', at, { ...reported }))
        await store(tx, row, { desired: row.desiredSettings ?? undefined, reported })
      }),

    due: (serials) =>
      read<{ deviceId: string; desired: Settings }>(
        'settings.due',
        `SELECT id AS "deviceId", desired_settings AS desired FROM devices
         WHERE settings_due AND desired_settings IS NOT NULL AND serial = ANY($1::text[])`,
        [serials],
      ),
  }
}

function json(settings: Settings | undefined): string | null {
  return settings ? JSON.stringify(settings) : null
}
