import type { Store, StoreChange } from '../stores/store.ts'
import type { Born, Device, DeviceCredentials, DeviceSummary } from './device.ts'
import type { CodeQuota } from './verification-code.ts'

/** A registration: everything that one request changes. */
export interface Registration {
  clientId: string
  serial: string
  codeHash: Buffer
  phoneNumber: string
  /** Keyed by `terminalID`, which is always given. */
  store: StoreChange & { terminalID: string; phoneNumber: string }
  /** Left out = unchanged. */
  rmCode: string | undefined
  /** Ids for the user and the store, should they be new. */
  newUserId: string
  newStoreId: string
}

export type RegistrationResult =
  /** `deviceIds`: every speaker of the store, whose idle screens show it. */
  | { kind: 'registered'; userId: string; store: Store; device: Device; deviceIds: string[] }
  | { kind: 'device_not_found' }
  /** The code on the device's screen is burnt by it. */
  | { kind: 'code_wrong'; deviceId: string }
  | { kind: 'code_expired' }
  | { kind: 'code_none' }

/** Devices: minted by the operator, registered and released by partners. */
export interface DeviceRecords {
  /** False when the serial is taken. */
  mint(device: { id: string; serial: string; key: Buffer; loginHash: Buffer; at: number }): Promise<boolean>
  list(): Promise<DeviceSummary[]>
  /** Ends a device's access for good. False when there is no such device. */
  revoke(serial: string, at: number): Promise<boolean>
  credentials(serial: string): Promise<DeviceCredentials | undefined>
  /** Serials of these devices that may no longer be connected. */
  revokedAmong(serials: string[]): Promise<string[]>
  /** The device when it is free or the partner's own; what is another's is undefined, as if it did not exist. */
  findFor(clientId: string, serial: string): Promise<Device | undefined>
  /** Uses the code, makes or updates user and store, and links the device: one act. */
  register(registration: Registration, at: number): Promise<RegistrationResult>
  /** Releases the partner's device. What was still to be spoken for that partner is suppressed. */
  unregister(clientId: string, serial: string, at: number): Promise<Device | undefined>
  /** Locks or unlocks the partner's device; locking suppresses what was still to be spoken. Undefined: not theirs. */
  setActive(
    clientId: string,
    serial: string,
    active: boolean,
    at: number,
  ): Promise<{ deviceId: string } | undefined>
  /**
   * Stores a birth, and raises the command counter above the number that the device has played. A device that has no
   * clips in the language of its announcements gets the first language of its own.
   */
  recordBirth(deviceId: string, born: Born, at: number): Promise<void>
  /** Requests that a device beeps and flashes: the running hub carries it out. False when there is no such device. */
  askIdentify(serial: string, at: number): Promise<boolean>
  /** Takes the requests to identify a device. Those older than `since` are dropped. */
  takeIdentifyRequests(since: number): Promise<string[]>
  recordIdentified(deviceId: string, at: number): Promise<void>
  /** When the device last did it. */
  identifiedAt(serial: string): Promise<number | undefined>
}

/** Verification codes, each bound to a device and a partner. */
export interface CodeRecords {
  quota(deviceId: string): Promise<CodeQuota | undefined>
  /** Issues a code that is on the screen and counts it; undefined when the quota was used up meanwhile. */
  issue(
    code: { id: string; deviceId: string; clientId: string; hash: Buffer; expiresAt: number },
    at: number,
  ): Promise<CodeQuota | undefined>
}

/** Shows things on the screens of connected devices. */
export interface Screens {
  /** Shows the device's current state again. */
  refresh(deviceId: string): void
  /** Shows a verification code, and waits until the device confirms it. */
  showCode(deviceId: string, code: string, expiresAt: number): Promise<CodeShown>
  clearCode(deviceId: string): void
  /** Removes a bill from the screens that show it. */
  clearBill(deviceIds: string[], billId: string): void
}

export type CodeShown = 'shown' | 'offline' | 'display_failed' | 'not_responding'

/** Controls connected devices. */
export interface DeviceControl {
  /** Lets the device beep and flash, and waits until it confirms that it did. */
  identify(deviceId: string): Promise<Identified>
  /** Drops the announcements for a device that was locked or released. */
  silence(deviceId: string): void
}

export type Identified =
  | { kind: 'played' }
  | { kind: 'offline' }
  | { kind: 'not_responding' }
  | { kind: 'failed'; reason: string }

/** Tells which devices are connected. */
export interface Presence {
  /** Born, its link is up, and it was heard within two and a half keepalives. */
  isConnected(serial: string): boolean
}
