import type { DeviceEventType, EventData, EventType } from '../../../events/event.ts'
import { carryOut } from '../../acts/act.ts'
import type { Orm } from '../engine/database.ts'
import { addEvent, runOn } from '../schema/statements.ts'

export type EventRows = ReturnType<typeof createEventRows>

/**
 * Adds the events that no trigger adds, inside the commit of their fact, and stores what the partner of a device was told
 * of it. Only a device that a partner has registered has a row of what was told.
 */
export function createEventRows({ $client: sqlite }: Orm) {
  const run = runOn(sqlite)
  const setOnline = sqlite.prepare<[device: number, isOnline: number]>(
    `INSERT INTO device_told (device_number, is_online) VALUES (?, ?)
     ON CONFLICT (device_number) DO UPDATE SET is_online = excluded.is_online`,
  )
  const setBatteryLow = sqlite.prepare<[device: number, isOnline: number, isLow: number]>(
    `INSERT INTO device_told (device_number, is_online, is_battery_low) VALUES (?, ?, ?)
     ON CONFLICT (device_number) DO UPDATE SET is_battery_low = excluded.is_battery_low`,
  )

  return {
    /** Returns its seq. */
    add(clientId: string, type: EventType, at: number, data: EventData): number {
      return carryOut(addEvent({ clientId, type, at, data }), run)
    },
    /** As `add`; does nothing for a device without a partner. */
    addOf(
      { clientId, serial }: { clientId: string | null; serial: string },
      type: DeviceEventType,
      at: number,
      more: EventData = {},
    ) {
      if (clientId !== null) this.add(clientId, type, at, { deviceSerial: serial, ...more })
    },
    setOnline: (device: number, isOnline: boolean) => void setOnline.run(device, Number(isOnline)),
    setBatteryLow: (device: number, isLow: boolean) => void setBatteryLow.run(device, 1, Number(isLow)),
  }
}
