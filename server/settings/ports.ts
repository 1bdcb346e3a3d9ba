import type { DeviceSettings, Settings, SettingsChange, SettingsPlan } from './settings.ts'

/** Whose devices may be touched: a partner's own, or every one. */
export type SettingsAuthority = { clientId: string } | 'operator'

/** The settings of devices, desired and reported. */
export interface SettingsRecords {
  /** Undefined when there is no such device, or it is not theirs. */
  find(who: SettingsAuthority, serial: string): Promise<DeviceSettings | undefined>
  /** Reads, plans by the rules of settings.ts, and writes: one act. */
  change(
    who: SettingsAuthority,
    serial: string,
    change: SettingsChange,
  ): Promise<{ plan: SettingsPlan; settings: DeviceSettings } | undefined>
  /** Keeps what a device says that it uses. */
  report(deviceId: string, reported: Settings): Promise<void>
  /** What a device must be told that was born with version `inForce`, by the rules of settings.ts. One act. */
  catchUp(deviceId: string, inForce: number): Promise<Settings | undefined>
  /** Those among these devices that have not confirmed yet what they shall use. */
  due(serials: readonly string[]): Promise<{ deviceId: string; desired: Settings }[]>
}

/** Sends settings to connected devices. */
export interface SettingsSender {
  /** Sends settings to the device. An offline device gets them at its birth. */
  configure(deviceId: string, settings: Settings): void
}
