import type { Language } from '../../protocol/messages/fields.ts'
import type { Settings } from '../../protocol/messages/settings.ts'

/** A change to a device's settings: what is left out stays as it is. */
export interface SettingsChange {
  /** Loudness in percent, 0 to 100. */
  volume?: number | undefined
  lang?: Language | undefined
}

/** The settings of one device: what it shall use, and what it uses as far as it has said. */
export interface DeviceSettings {
  deviceId: string
  serial: string
  desired: Settings | undefined
  reported: Settings | undefined
  /** The languages of its clip packs, as of its last birth; empty before its first. */
  languages: readonly string[]
}

export type SettingsPlan =
  | { kind: 'changed'; desired: Settings }
  /** It is what the device shall use already. */
  | { kind: 'unchanged' }
  | { kind: 'refused'; field: keyof SettingsChange; issue: string }

/**
 * The whole document that a change makes, under the next version. A device takes only versions above its own,
 * so the next one is above everything that was desired or reported. (sb/1 8.5)
 */
export function planSettings(known: DeviceSettings, change: SettingsChange): SettingsPlan {
  const { languages } = known
  const before = newest(known)
  const volume = change.volume ?? before?.volume
  const lang = change.lang ?? before?.lang
  if (volume === undefined) return unknown('volume')
  if (lang === undefined) return unknown('lang')
  if (change.lang !== undefined && languages.length > 0 && !languages.includes(change.lang))
    return {
      kind: 'refused',
      field: 'lang',
      issue: `is not one that the device speaks: ${languages.join(', ')}`,
    }
  if (before?.volume === volume && before.lang === lang) return { kind: 'unchanged' }
  return { kind: 'changed', desired: { ver: highestVersion(known) + 1, volume, lang } }
}

/** Whether the device uses what it shall use. */
export function isApplied({ desired, reported }: Pick<DeviceSettings, 'desired' | 'reported'>): boolean {
  return desired === undefined || (reported !== undefined && reported.ver >= desired.ver)
}

/** A change made at the device itself is newer than what was desired before it. */
function newest({ desired, reported }: DeviceSettings): Settings | undefined {
  return reported && reported.ver > (desired?.ver ?? -1) ? reported : desired
}

export function highestVersion({ desired, reported }: Pick<DeviceSettings, 'desired' | 'reported'>): number {
  return Math.max(desired?.ver ?? 0, reported?.ver ?? 0)
}

/** Half a document can't be sent, and a guess would change what nobody asked for. */
function unknown(field: keyof SettingsChange): SettingsPlan {
  return { kind: 'refused', field, issue: 'is required, because the device has not told its own yet' }
}
