import type { Settings } from '../../protocol/messages/settings.ts'
import type { DeviceSettings, SettingsPlan } from './settings.ts'

/** Whose devices may be touched: a partner's own, or every one. */
export type SettingsAuthority = { clientId: string } | 'operator'

/** The settings of devices, desired and reported. */
export interface SettingsRecords {
  /** Undefined when there is no such device, or it is not theirs. */
  find(who: SettingsAuthority, serial: string): Promise<DeviceSettings | undefined>
  /** Reads, lets the rules decide, and writes: one act. `decide` is pure. */
  change(
    who: SettingsAuthority,
    serial: string,
    decide: (known: DeviceSettings) => SettingsPlan,
  ): Promise<{ plan: SettingsPlan; settings: DeviceSettings } | undefined>
  /** Keeps what a device says that it uses. */
  report(deviceId: string, reported: Settings): Promise<void>
  /**
   * What a device must be told that was born with version `inForce`; undefined when it is up to date. A desired
   * document whose version is too low for the device (the hub came back from an older backup) gets a higher one.
   */
  catchUp(deviceId: string, inForce: number): Promise<Settings | undefined>
  /** Every device that does not use yet what it shall use. */
  due(): Promise<{ deviceId: string; desired: Settings }[]>
}
