import type { Language } from '../../../protocol/money/language.ts'
import type { DeviceSettings, Settings } from '../../settings/settings.ts'

/** The columns of a device that its settings are read from. */
export interface SettingsRow {
  id: string
  serial: string
  lang: Language
  desiredSettings: Settings | null
  reportedSettings: Settings | null
  /** Separated by spaces. */
  languages: string
}

export function toSettings(row: SettingsRow): DeviceSettings {
  return {
    deviceId: row.id,
    serial: row.serial,
    desired: row.desiredSettings ?? undefined,
    reported: row.reportedSettings ?? undefined,
    languages: row.languages.split(' ').filter(Boolean),
  }
}

/**
 * The language of the device's announcements once it has reported these settings: the one that it really uses, unless it
 * has no clips for it. Then a birth chose another.
 */
export function languageOf(row: SettingsRow, reported: Settings | undefined): Language {
  const { languages } = toSettings(row)
  const isSpoken = reported && (languages.length === 0 || languages.includes(reported.lang))
  return isSpoken ? reported.lang : row.lang
}

/** Whether a report differs from the last one. */
export function isChange(before: Settings | null, { ver, volume, lang }: Settings): boolean {
  return before?.ver !== ver || before.volume !== volume || before.lang !== lang
}

/** The values that change, each as [old, new]; null when the old one is not known. */
export function changesOf({ desired, reported }: DeviceSettings, after: Settings) {
  const before = reported && reported.ver > (desired?.ver ?? -1) ? reported : desired
  const names = (['volume', 'lang'] as const).filter((name) => before?.[name] !== after[name])
  return Object.fromEntries(names.map((name) => [name, [before?.[name] ?? null, after[name]]]))
}
