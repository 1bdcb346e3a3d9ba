import type { Language } from '../../protocol/money/language.ts'
import type { Store } from '../stores/store.ts'
import type { FirmwareOffer, MaintenanceCap, UpdateProgress } from './maintenance.ts'

/** A serial has 4 to 32 letters, digits, `_` or `-`. Every dialect must be able to carry it. */
export const SERIAL_PATTERN = /^[A-Za-z0-9_-]{4,32}$/

/** What tells how the hub speaks with a device. */
export interface DeviceKind {
  /** `sb/1`, or the dialect of another maker. */
  dialect: string
  /** The profile by which the hub speaks with a speaker of another maker. Undefined for sb/1. */
  profile: string | undefined
  /** The languages of its clip packs, as of its last birth. Empty before its first. */
  languages: readonly string[]
}

/** A speaker. It belongs to nobody until a partner registers it. */
export interface Device extends DeviceKind {
  id: string
  serial: string
  deviceName: string
  /** False when its partner has locked it: then it stays silent. */
  active: boolean
  /** The owning partner; undefined when the device is free. */
  clientId: string | undefined
  rmCode: string
  /** The stores that it announces for. */
  stores: Store[]
}

/** The data that a device's connection is checked against. */
export interface DeviceCredentials {
  deviceId: string
  serial: string
  /** The device's secret K, 32 bytes. */
  key: Buffer
  /** SHA-256 of its login key. */
  loginHash: Buffer
  /** The key that it has not confirmed yet. It works, too (sb/1 2.9). */
  next: Pick<DeviceCredentials, 'key' | 'loginHash'> | undefined
  revoked: boolean
}

/** A box of another maker, as its CONNECT is checked. */
export interface BoxLogin {
  deviceId: string
  serial: string
  /** The username or client id by which the box logs in. */
  wireId: string
  /** SHA-256 of its password. */
  loginHash: Buffer
  revoked: boolean
  dialect: string
  /** The name of its profile. */
  profile: string
  /** The profile as JSON. Undefined for one that comes with the hub. */
  document: string | undefined
}

/** A device in the operator's list. */
export interface DeviceSummary extends Omit<DeviceKind, 'languages'> {
  serial: string
  clientId: string | undefined
  active: boolean
  revokedAt: number | undefined
  firmware: string
  model: string
  /** Milliseconds; undefined before the first birth. */
  lastBirthAt: number | undefined
}

/** What a device says of itself now and then, for people to look at. It is what the device said, never a guess. */
export interface Readings {
  /** Charge in percent. */
  battery?: number | undefined
  charging?: boolean | undefined
  /** Strength in dBm. */
  signal?: number | undefined
  /** Percent. */
  volume?: number | undefined
  /** Announcements that wait to be spoken. */
  queue?: number | undefined
}

/** How a device has run since it started, in its own words. */
export interface Runtime {
  /** Why it started: power, watchdog, fault, … */
  reset: string
  /** Seconds since then, when it said so. */
  uptime: number
  /** How often a watchdog or a fault has restarted it since it was made. */
  crashes: number
  /** Why its last connection ended. */
  modem?: string | undefined
}

/** When a device started by its own words; milliseconds. */
export const startedAt = ({ at, uptime }: Runtime & { at: number }): number => at - uptime * 1000

/** A device with all that is known of its state. */
export interface DeviceReport extends DeviceSummary, DeviceKind {
  deviceId: string
  /** The client id or username by which a speaker of another maker logs in. Undefined for sb/1. */
  wireId: string | undefined
  deviceName: string
  rmCode: string
  createdAt: number
  lang: Language
  /** Born under a hub that runs now, and its connection has not ended since; a few seconds old. */
  connected: boolean
  /** When its connection last ended. Undefined when unknown: a killed hub stores no end. */
  leftAt: number | undefined
  /** The newest of birth, report and end of its connection. */
  lastSeenAt: number | undefined
  /** Undefined before its first report. */
  health: (Readings & { reportedAt: number }) | undefined
  /** What it has last said of how it runs. */
  runtime: (Runtime & { at: number }) | undefined
  caps: string[]
  /** Since when a new key waits for the device. Undefined when none does. */
  nextKeySince: number | undefined
  offer: (FirmwareOffer & { since: number }) | undefined
  /** What it has last said of an offer. */
  updateProgress: (UpdateProgress & { at: number }) | undefined
  /** The stores that it announces for. */
  stores: Store[]
}

/** A device with its state and with what it can do. */
export interface DeviceDetail extends DeviceReport {
  abilities: Abilities
}

/** A device of a store, as the rules of announcements need it. */
export interface Speaker {
  deviceId: string
  serial: string
  active: boolean
  lang: Language
}

/** The dialect of the speakers of our own. */
export const OWN_DIALECT = 'sb/1'

/** All dialects: ours, and those of boxes. Known without loading them. */
export const DIALECT_NAMES = [OWN_DIALECT, 'hemipay', 'oneway', 'alink'] as const
export type DialectName = (typeof DIALECT_NAMES)[number]

/**
 * What is known of the sound of an announcement, by what the device has said. The best is last.
 *  - `none`: it has the message.
 *  - `accepted`: it takes the message.
 *  - `played`: the sound is over.
 */
export const SOUND_PROOFS = ['none', 'accepted', 'played'] as const
export type SoundProof = (typeof SOUND_PROOFS)[number]

/** What a device can do, as partners and operators read it. */
export interface Abilities {
  /** `sb/1`, or the name of a dialect of boxes. */
  dialect: string
  /** The profile of a box. Undefined for sb/1. */
  profile: string | undefined
  /** The best proof that it gives for a sound. */
  proof: SoundProof
  /** `weak`: many devices share the secret that it logs in with, or anybody can read it on the device. */
  identity: 'device' | 'weak'
  /** How it proves where it stands: with a code on its screen, a spoken code, a code as a QR, or with its printed label. */
  pairing: 'screen' | 'spoken' | 'qr' | 'label'
  /** Shows its shop while it is idle. */
  screen: boolean
  /** Shows the QR of a bill. */
  qr: boolean
  /** Shows missed payments. */
  missed: boolean
  /** Has keys for an amount. */
  keypad: boolean
  /** The settings that the hub can change. */
  settings: readonly ('volume' | 'lang')[]
  languages: readonly Language[]
  /** The highest amount that it can say, in đồng as a decimal string. */
  maxAmount: string
}

/** What a box does with an announcement that it gets twice. sb/1 has none: its watermark settles it. */
export interface BoxMemory {
  /** A repeat may sound again. */
  mayRepeat: boolean
  /** It is sent once more until the box has confirmed it (`received`), or until it has reported its end (`played`). */
  until: 'received' | 'played'
}

/** A device's report at the start of a session. */
export interface Born {
  firmware: string
  model: string
  /** The languages of its clip packs, as far as the hub knows them. */
  languages: Language[]
  /** Bytes of its receive buffer. */
  bufferBytes: number
  /** The highest number of an announcement that it has ever started to play. */
  played: number
  /** The version of the settings in force. */
  settingsVersion: number
  /** What it can take besides announcements and screens. */
  caps: MaintenanceCap[]
  /** Boxes only. */
  box?: BoxMemory
}
