import type { DeviceKind } from '../devices/device.ts'
import type { Actor } from '../security/actor.ts'
import type { DeviceSettings, Settings, SettingsChange, SettingsPlan } from './settings.ts'

/** The settings of devices, desired and reported. */
export interface SettingsRecords {
  /** Undefined when there is no such device that the actor may change. */
  find(by: Actor, serial: string): Promise<(DeviceSettings & DeviceKind) | undefined>
  /** Reads, plans by the rules of settings.ts, and writes. One transaction. */
  change(
    by: Actor,
    serial: string,
    change: SettingsChange,
    at: number,
  ): Promise<{ plan: SettingsPlan; settings: DeviceSettings } | undefined>
  /** Stores the settings that a device reports at `at`. Others than before are an event. */
  report(deviceId: string, reported: Settings, at: number): Promise<void>
  /** The desired settings that these devices have not confirmed yet. */
  due(serials: readonly string[]): Promise<{ deviceId: string; desired: Settings }[]>
}

/** Sends settings to connected devices. */
export interface SettingsSender {
  /** Sends settings to the device. An offline device gets them at its birth. */
  configure(deviceId: string, settings: Settings): void
}
