import type { Page, PageRequest } from '../platform/page.ts'
import type { Actor } from '../security/actor.ts'
import type { Store, StoreChange } from '../stores/store.ts'
import type { Answer } from './answer.ts'
import type {
  BoxLogin,
  Device,
  DeviceCredentials,
  DeviceReport,
  DeviceSummary,
  Readings,
  Runtime,
} from './device.ts'
import type { MaintenanceDue, UpdateProgress } from './maintenance.ts'
import type { CodeQuota, CodesBefore } from './verification-code.ts'

/** Everything that one registration changes. */
export interface Registration {
  clientId: string
  serial: string
  /** Of a code from the screen. Empty when a label was presented. */
  codeHashes: readonly Buffer[]
  /** The label that stands on the device, instead of a code. */
  label?: string | undefined
  phoneNumber: string
  /** Identified by its `terminalID`. */
  store: StoreChange & { terminalID: string; phoneNumber: string }
  /** Undefined leaves it unchanged. */
  rmCode: string | undefined
  /** Ids for the user and the store, if they are new. */
  newUserId: string
  newStoreId: string
  /** For a wrong label, which is stored as a burnt code. */
  newCodeId: string
}

export type RegistrationResult =
  /** `deviceIds` are all speakers of the store: their idle screens show it. */
  | { kind: 'registered'; userId: string; store: Store; device: Device; deviceIds: string[] }
  | { kind: 'device_not_found' }
  /** The partner's code can't be used any more. `isNewest`: the screen has shown no other partner's since. */
  | { kind: 'code_wrong'; deviceId: string; isNewest: boolean }
  | { kind: 'code_expired' }
  | { kind: 'code_none' }
  /** The label was not compared: the quota of codes is used up until then. */
  | { kind: 'code_quota'; freeAgainAt: number }

/** A speaker of another maker, as the operator adds it. */
export interface MintedBox {
  id: string
  serial: string
  /** The device's key K. No box knows it: it keys the hash of the label. */
  key: Buffer
  /** SHA-256 of the password that the box sends. */
  loginHash: Buffer
  dialect: string
  profile: string
  /** The profile's JSON, for one that does not ship with the hub. Stored under its name with the first device. */
  document?: string | undefined
  /** The name under which the box connects. */
  wireId: string
  labelHash: Buffer
  at: number
}

/** Why a box was not added. `profile_differs`: another document is stored under the name of the profile. */
export type BoxMinting = 'added' | 'serial_taken' | 'wire_id_taken' | 'profile_differs'

/** Profiles of other makers' speakers that do not ship with the hub. */
export interface ProfileRecords {
  find(name: string): Promise<StoredProfile | undefined>
  /** Stores a document, or puts it in the place of the one before. */
  save(by: Actor, name: string, document: string, at: number): Promise<void>
  /** By name. */
  list(): Promise<StoredProfile[]>
}

export interface StoredProfile {
  name: string
  /** JSON. */
  document: string
  since: number
}

/** An amount that somebody has keyed in at a device. */
export interface KeyedAmount {
  deviceId: string
  /** Names the request on this device. A repeat of it is no new one. */
  requestId: string
  /** Đồng. */
  amount: string
  /** Names the amount in events; it is the number of the bill that the hub makes. */
  keyedId: string
  /** The shop for which the hub makes the bill. Undefined: the partner is asked by an event. */
  storeId: string | undefined
  expiresAt: number
}

/** Amounts from the keypads of devices. */
export interface KeyedRecords {
  /** The device's partner and shops. Undefined when it has none, is locked, or was revoked. */
  shopsOf(deviceId: string): Promise<{ clientId: string; serial: string; stores: Store[] } | undefined>
  /**
   * Stores an amount once for each request of the device, and in the same commit the event `amount.keyed` when no shop is
   * named. A repeat returns what was stored at first, for a day. Undefined when the device is not the partner's, is locked, or was revoked: then
   * nothing is stored.
   */
  key(
    clientId: string,
    keyed: KeyedAmount,
    at: number,
  ): Promise<(Pick<KeyedAmount, 'keyedId' | 'storeId'> & { isRepeat: boolean }) | undefined>
}

/** Devices: minted by the operator, registered and released by partners. */
export interface DeviceRecords {
  /** False when the serial is taken. */
  mint(
    by: Actor,
    device: { id: string; serial: string; key: Buffer; loginHash: Buffer; at: number },
  ): Promise<boolean>
  /** Adds a speaker of another maker, and its profile if that is new. */
  mintBox(by: Actor, box: MintedBox): Promise<BoxMinting>
  /** The box of the first of these names that is a wire id. */
  boxLogin(names: readonly string[]): Promise<BoxLogin | undefined>
  list(): Promise<DeviceSummary[]>
  /** Ends a device's access for ever. False when there is no such device. */
  revoke(by: Actor, serial: string, at: number): Promise<boolean>
  /** Of a device that speaks sb/1. */
  credentials(serial: string): Promise<DeviceCredentials | undefined>
  /** The serials of those devices that were revoked. */
  revokedAmong(serials: string[]): Promise<string[]>
  /** The device if it is free or the partner's own. Undefined for another partner's, as if it did not exist. */
  findFor(clientId: string, serial: string): Promise<Device | undefined>
  /** Uses the code, creates or updates user and store, and links the device, in one act. */
  register(by: Actor, registration: Registration, at: number): Promise<RegistrationResult>
  /**
   * Releases a registered device, and suppresses its open announcements. Undefined when there is none that the actor may
   * change.
   */
  unregister(by: Actor, serial: string, at: number): Promise<Device | undefined>
  /** Locks or unlocks a registered device. A lock suppresses its open announcements. Undefined as for `unregister`. */
  setActive(by: Actor, serial: string, active: boolean, at: number): Promise<{ deviceId: string } | undefined>
  /** Stores a request to let a device beep and flash. The running hub takes it. False when there is no such device. */
  askIdentify(by: Actor, serial: string, at: number): Promise<boolean>
  /** Takes all requests, and returns the devices of those that are not older than `since`. */
  takeIdentifyRequests(since: number): Promise<string[]>
  recordIdentified(deviceId: string, at: number): Promise<void>
  /** When the device last beeped for such a request. */
  identifiedAt(serial: string): Promise<number | undefined>
}

/** Verification codes, each bound to a device and a partner. */
export interface CodeRecords {
  before(clientId: string, deviceId: string): Promise<CodesBefore>
  /**
   * Issues and counts a code that the screen shows. It ends the partner's older one for the device, and no other
   * partner's. Undefined when the quota was used up meanwhile.
   */
  issue(
    by: Actor,
    code: { id: string; deviceId: string; clientId: string; hash: Buffer; expiresAt: number },
    at: number,
  ): Promise<CodeQuota | undefined>
}

/** What is new of one device's health. */
export interface HealthChange {
  deviceId: string
  /** Takes the place of the report before. */
  report?: Readings & { at: number }
  /** When its connection has ended. */
  leftAt?: number
  /** The session of that connection: `leftAt` is not stored when another one owns the device. */
  sessionId?: string | undefined
  /** What it does with an offer of firmware. */
  update?: UpdateProgress & { at: number }
  runtime?: Runtime & { at: number }
}

/** The newest reports of devices, and whether an event has said to the partner that the device is online. */
export interface HealthRecords {
  /**
   * Stores changes of a few hundred devices at most, in one commit. Unknown devices are ignored. A battery that gets low is
   * an event (health.ts).
   */
  record(changes: readonly HealthChange[]): Promise<void>
  /**
   * Devices whose last event of presence is `device.online`. On a storage of several hubs: only those that no running hub
   * has. `after` is the `next` of the page before.
   */
  toldOnline(after?: number): Promise<{ devices: Departure[]; next: number | undefined }>
  /**
   * Adds `device.offline` for these devices, a few hundred at most in one commit. It skips a device that was born again
   * since, one whose last event of presence is not `device.online`, and one without a partner.
   */
  tellOffline(departures: readonly Departure[], at: number): Promise<void>
}

/** A device that has gone. */
export interface Departure {
  deviceId: string
  /** The session that it had. Undefined when it is not known. */
  sessionId: string | undefined
  /** When it was last seen. */
  leftAt: number
}

/** Which devices a list has; what is left out does not matter. */
export interface DeviceFilter {
  clientId?: string | undefined
  /** `online`: connected. `free`: no partner has registered it. `locked`: its partner has locked it. */
  state?: 'online' | 'offline' | 'locked' | 'free' | 'revoked' | undefined
  connected?: boolean | undefined
  active?: boolean | undefined
  revoked?: boolean | undefined
  /** It announces for this store. */
  storeId?: string | undefined
  serialPrefix?: string | undefined
  /** Not connected, and last seen before this instant. */
  silentSince?: number | undefined
  /** Percent, as last reported. */
  batteryAtMost?: number | undefined
  dialect?: string | undefined
  /** Names of profiles, one of which it has. sb/1 is the profile of a device of our own. */
  profiles?: readonly string[] | undefined
}

/** Devices that need somebody. One may be in several counts. */
export interface DeviceTally {
  offline: number
  /** Of those that are offline: last seen before an instant. */
  silent: number
  lowBattery: number
}

/**
 * Lists of devices, for people and for partners. `hubSince` is the start of the running hub: see DeviceReport. A storage
 * that knows which hubs run does not need it.
 */
export interface DeviceLists {
  /**
   * Counts devices that need somebody, by the conditions of a DeviceFilter, without revoked ones. It looks at a bounded
   * number of devices; `after` is the `next` of the call before. Undefined at the end.
   */
  tally(
    filter: Required<Pick<DeviceFilter, 'silentSince' | 'batteryAtMost'>>,
    hubSince: number | undefined,
    after: string | undefined,
  ): Promise<{ tally: DeviceTally; next: string | undefined }>
  page(filter: DeviceFilter, hubSince: number | undefined, page: PageRequest): Promise<Page<DeviceReport>>
  find(serial: string, hubSince: number | undefined): Promise<DeviceReport | undefined>
}

/** Shows things on the screens of connected devices. */
export interface Screens {
  /** Shows the device's current state again. */
  refresh(deviceId: string): void
  /** Shows a verification code, and waits until the device confirms it. */
  showCode(deviceId: string, code: string, expiresAt: number): Promise<Answer>
  clearCode(deviceId: string): void
  /** Removes a bill from the screens that show it. */
  clearBill(deviceIds: string[], billId: string): void
}

/** Controls connected devices. */
export interface DeviceControl {
  /** Lets the device beep and flash, and waits until it confirms that it did. */
  identify(deviceId: string): Promise<Answer>
  /** Sends a connected device its new key and its offer of firmware, each once after a welcome. */
  maintain(due: MaintenanceDue): void
  /** Drops the announcements for a device that was locked or released. */
  silence(deviceId: string): void
}

/** Tells which devices are connected. */
export interface Presence {
  /** Born, its connection is open, and it was heard recently. */
  isConnected(serial: string): Promise<boolean>
}
