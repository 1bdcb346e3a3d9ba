import type { Language } from '../../protocol/money/language.ts'
import type { Store } from '../stores/store.ts'

/** A speaker. Until a partner registers it, it belongs to nobody. */
export interface Device {
  id: string
  serial: string
  deviceName: string
  /** False when its partner has locked it: it stays silent. */
  active: boolean
  /** The owning partner; undefined when the device is free. */
  clientId: string | undefined
  rmCode: string
  /** The stores that it announces for. */
  stores: Store[]
}

/** What the hub must know of a device to let it connect and to talk with it. */
export interface DeviceCredentials {
  deviceId: string
  serial: string
  /** The device's secret K, 32 bytes. */
  key: Buffer
  /** SHA-256 of its login key. */
  loginHash: Buffer
  revoked: boolean
}

/** A device as its operator lists it. */
export interface DeviceSummary {
  serial: string
  clientId: string | undefined
  active: boolean
  revokedAt: number | undefined
  firmware: string
  model: string
  /** Milliseconds of the last birth; undefined when it never came. */
  lastBirthAt: number | undefined
}

/** A device among those of a store: what the announcement's rules look at. */
export interface Speaker {
  deviceId: string
  serial: string
  active: boolean
  lang: Language
}
