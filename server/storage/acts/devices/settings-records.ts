import { mayChange } from '../../../security/actor.ts'
import type { SettingsRecords } from '../../../settings/ports.ts'
import type { DeviceSettings, Settings } from '../../../settings/settings.ts'
import type { StorageRules } from '../../rules.ts'
import {
  changesOf,
  isChange,
  languageOf,
  type SettingsRow,
  toSettings,
} from '../../shared/settings-mapping.ts'
import { type Act, type Engine, fromJson, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { eventOf } from '../device-events.ts'
import { type DeviceRow, kindOf, liveDevice, lockDevice, lockLiveDevice } from '../device-rows.ts'

export function createSettingsRecords(
  engine: Engine,
  rules: Pick<StorageRules, 'planSettings' | 'isPending'>,
): SettingsRecords {
  const { reading, writing, events, raise, among, trueLiteral } = engine

  return {
    find: reading(function* (by, serial) {
      const row = yield* liveDevice(serial)
      return row && mayChange(by, row.clientId) ? { ...toSettings(row), ...kindOf(row) } : undefined
    }),

    change: writing(function* (by, serial, change, at) {
      const row = yield* lockLiveDevice(engine, serial)
      if (!row || !mayChange(by, row.clientId)) return undefined
      const known = toSettings(row)
      const plan = rules.planSettings(known, change)
      if (plan.kind !== 'changed') return { plan, settings: known }
      const settings = { ...known, desired: plan.desired }
      yield* storeSettings(engine, rules, row, settings)
      const details = changesOf(known, plan.desired)
      yield* noteChange({ by, at, action: 'device.settings', subject: serial, details })
      // The verb sends the change to the device. The command line runs in another process, and asks the hub to send it.
      if (by.kind === 'operator' && by.from === 'command') yield* raise('wishes')
      return { plan, settings }
    }),

    report: writing(function* (deviceId, reported, at) {
      const row = yield* lockDevice(engine, 'id', deviceId)
      if (!row) return
      if (isChange(row.reportedSettings, reported))
        yield* events(eventOf(row, 'settings.applied', at, { ...reported }))
      yield* storeSettings(engine, rules, row, { desired: row.desiredSettings ?? undefined, reported })
    }),

    due: reading(function* (serials) {
      const due = yield* rows<{ deviceId: string; desired: Settings | string }>(
        'settings.due',
        `SELECT id AS "deviceId", desired_settings AS desired FROM devices
         WHERE settings_due = ${trueLiteral} AND desired_settings IS NOT NULL AND ${among('serial', '$1')}`,
        [serials],
      )
      return due.map(({ deviceId, desired }) => ({ deviceId, desired: fromJson(desired) }))
    }),
  }
}

/** Stores the settings of a locked device. */
export function* storeSettings(
  { raise }: Pick<Engine, 'raise'>,
  { isPending }: Pick<StorageRules, 'isPending'>,
  row: SettingsRow & Pick<DeviceRow, 'rowId'>,
  known: Pick<DeviceSettings, 'desired' | 'reported'>,
): Act<void> {
  const { desired, reported } = known
  const lang = languageOf(row, reported)
  yield* rows(
    'settings.store',
    `UPDATE devices SET desired_settings = $2, reported_settings = $3, settings_due = $4, lang = $5
     WHERE number = $1`,
    [row.rowId, json(desired), json(reported), isPending(known), lang],
  )
  if (lang !== row.lang) yield* raise('stores')
}

function json(settings: Settings | undefined): string | null {
  return settings ? JSON.stringify(settings) : null
}
