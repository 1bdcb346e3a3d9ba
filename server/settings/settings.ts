import { z } from 'zod'
import { LANGUAGES, type Language } from '../../protocol/money/language.ts'

/** Versions are unsigned 32-bit integers, because devices store them. */
const MAX_VERSION = 0xffff_ffff

/** A whole document of settings. */
export const settingsSchema = z.object({
  ver: z.int().min(0).max(MAX_VERSION),
  /** Percent; 0 is muted. */
  volume: z.int().min(0).max(100),
  lang: z.enum(LANGUAGES),
})
export type Settings = z.infer<typeof settingsSchema>

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
  if (highestVersion(known) >= MAX_VERSION)
    return {
      kind: 'refused',
      field: change.volume === undefined ? 'lang' : 'volume',
      issue: 'can not be changed: the device has used up its versions',
    }
  const wished = { ver: highestVersion(known) + 1, volume, lang }
  // Saying it again must help when the device uses something else under the very version that was desired.
  const isSaid = before !== undefined && isSame(before, wished) && !isContradicted(known)
  return isSaid ? { kind: 'unchanged' } : { kind: 'changed', desired: wished }
}

/** Whether the device uses what it shall use. What was changed at the device itself afterwards counts as newer. */
export function isApplied(known: Versions): boolean {
  const { desired, reported } = known
  if (!desired) return true
  return reported !== undefined && !isPending(known) && !isContradicted(known)
}

/** Whether the device has not yet reported the version that is desired, or a later one. */
export function isPending({ desired, reported }: Versions): boolean {
  return desired !== undefined && (reported === undefined || reported.ver < desired.ver)
}

/**
 * What a device must be told that was born with version `inForce`; undefined when it is up to date. (sb/1 8.5)
 *
 * Why a version may rise here: when the hub came back from an older backup, what it desires may be numbered below
 * what the device has. When nothing is pending, a version above is the device's own change (8.6), made while it was
 * away: the desired document, old as it is, then only makes the device report what it uses.
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

/** The device uses something else under the version that is desired: both were made at once, or it can't. */
function isContradicted({ desired, reported }: Versions): boolean {
  return desired !== undefined && reported?.ver === desired.ver && !isSame(reported, desired)
}

/** A change made at the device itself is newer than what was desired before it. */
function newest({ desired, reported }: DeviceSettings): Settings | undefined {
  return reported && reported.ver > (desired?.ver ?? -1) ? reported : desired
}

function isSame(one: Settings, other: Settings): boolean {
  return one.volume === other.volume && one.lang === other.lang
}

function highestVersion({ desired, reported }: Versions): number {
  return Math.max(desired?.ver ?? 0, reported?.ver ?? 0)
}

/** Half a document can't be sent, and a guess would change what nobody asked for. */
function unknown(field: keyof SettingsChange): SettingsPlan {
  return { kind: 'refused', field, issue: 'is required, because the device has not told its own yet' }
}
