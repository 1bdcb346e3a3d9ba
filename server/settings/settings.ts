import { z } from 'zod'
import { LANGUAGES, type Language } from '../../protocol/money/language.ts'

/** Versions are unsigned 32-bit integers, because devices store them. */
const MAX_VERSION = 0xffff_ffff
/** Settings are sent whole, and a guess would change a value that nobody asked to change. */
const UNKNOWN = 'is required, because the device has not reported its settings yet'

/** A whole document of settings. */
export const settingsSchema = z.object({
  ver: z.int().min(0).max(MAX_VERSION),
  /** Percent; 0 is muted. */
  volume: z.int().min(0).max(100),
  lang: z.enum(LANGUAGES),
})
export type Settings = z.infer<typeof settingsSchema>

/** A change to a device's settings; absent fields stay unchanged. */
export interface SettingsChange {
  /** Loudness in percent, 0 to 100. */
  volume?: number | undefined
  lang?: Language | undefined
}

/** The settings of one device: `desired` by its partner, and last `reported` by the device. */
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
  /** The desired settings already contain the change. */
  | { kind: 'unchanged' }
  | { kind: 'refused'; field: keyof SettingsChange; issue: string }

/**
 * Applies a change to the newest settings and gives the result the next version. A device accepts only versions above
 * its own, so the next version is above every desired and reported one. (sb/1 8.5)
 */
export function planSettings(known: DeviceSettings, change: SettingsChange): SettingsPlan {
  const { languages } = known
  const before = newest(known)
  const volume = change.volume ?? before?.volume
  const lang = change.lang ?? before?.lang
  if (volume === undefined) return refused('volume', UNKNOWN)
  if (lang === undefined) return refused('lang', UNKNOWN)
  if (change.lang !== undefined && languages.length > 0 && !languages.includes(change.lang))
    return refused('lang', `is not a language of this device: ${languages.join(', ')}`)
  if (highestVersion(known) >= MAX_VERSION)
    return refused(
      change.volume === undefined ? 'lang' : 'volume',
      'cannot be changed: the device has used up its versions',
    )
  const changed = { ver: highestVersion(known) + 1, volume, lang }
  // When the device reports other values under the desired version, the same change must be sent again.
  const isUnchanged = before !== undefined && isSame(before, changed) && !isContradicted(known)
  return isUnchanged ? { kind: 'unchanged' } : { kind: 'changed', desired: changed }
}

/** Whether the device uses the desired settings, or newer ones that were set at the device itself. */
export function isApplied(known: Versions): boolean {
  return !isPending(known) && !isContradicted(known)
}

/** Whether the device has not yet reported the version that is desired, or a later one. */
export function isPending({ desired, reported }: Versions): boolean {
  return desired !== undefined && (reported === undefined || reported.ver < desired.ver)
}

/**
 * The settings to send to a device that was born with version `inForce`; undefined when it is up to date. (sb/1 8.5)
 *
 * Why a version may rise here: after a restore from an older backup, the desired version may be below the device's. When
 * no desired settings are pending, a higher version is a change made at the device itself while it was offline (8.6).
 * The old desired settings are then sent only to make the device report its own.
 */
export function catchUpSettings(known: DeviceSettings, inForce: number): Settings | undefined {
  const { desired, reported } = known
  if (!desired) return undefined
  if (desired.ver <= inForce && reported?.ver === inForce) return undefined
  if (desired.ver >= inForce || !isPending(known)) return desired
  const highest = Math.max(highestVersion(known), inForce)
  return highest < MAX_VERSION ? { ...desired, ver: highest + 1 } : undefined
}

/** The language of a device's announcements after a birth: its present one if it has clips for it, else its first. */
export function languageAfterBirth(present: Language, clips: readonly Language[]): Language {
  return clips.includes(present) ? present : (clips[0] ?? present)
}

type Versions = Pick<DeviceSettings, 'desired' | 'reported'>

/** The device uses other values under the desired version: both were set at once, or it cannot use the desired ones. */
function isContradicted({ desired, reported }: Versions): boolean {
  return desired !== undefined && reported?.ver === desired.ver && !isSame(reported, desired)
}

/** A change made at the device itself is newer than the settings that were desired before it. */
function newest({ desired, reported }: DeviceSettings): Settings | undefined {
  return reported && reported.ver > (desired?.ver ?? -1) ? reported : desired
}

function isSame(one: Settings, other: Settings): boolean {
  return one.volume === other.volume && one.lang === other.lang
}

function highestVersion({ desired, reported }: Versions): number {
  return Math.max(desired?.ver ?? 0, reported?.ver ?? 0)
}

function refused(field: keyof SettingsChange, issue: string): SettingsPlan {
  return { kind: 'refused', field, issue }
}
