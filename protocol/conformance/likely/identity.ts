import type { DeviceKeys } from '../../keys.ts'

/** The serial and keys of the device under test. */
export interface Identity {
  serial: string
  /** The device's secret K. */
  key: Uint8Array
  keys: DeviceKeys
}
