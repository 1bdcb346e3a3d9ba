import type { DeviceEventType, EventData, EventType } from '../../../events/event.ts'
import type { Orm } from '../engine/database.ts'

export type EventRows = ReturnType<typeof createEventRows>

/**
 * Adds the events that no trigger adds, inside the commit of their fact, and stores what the partner of a device was told
 * of it. Only a device that a partner has registered has a row of what was told.
 */
export function createEventRows({ $client: sqlite }: Orm) {
  const add = sqlite.prepare<{ clientId: string; at: number; type: EventType; data: string }>(
    `INSERT INTO events (client_id, seq, at, type, data)
     VALUES (@clientId, max(@at * 1000, 1 + coalesce(
       (SELECT max(seq) FROM events WHERE client_id = @clientId),
       (SELECT seq FROM deleted_events WHERE client_id = @clientId), 0
     )), @at, @type, @data)`,
  )
  const setOnline = sqlite.prepare<[device: number, isOnline: number]>(
    `INSERT INTO device_told (device_number, is_online) VALUES (?, ?)
     ON CONFLICT (device_number) DO UPDATE SET is_online = excluded.is_online`,
  )
  const setBatteryLow = sqlite.prepare<[device: number, isOnline: number, isLow: number]>(
    `INSERT INTO device_told (device_number, is_online, is_battery_low) VALUES (?, ?, ?)
     ON CONFLICT (device_number) DO UPDATE SET is_battery_low = excluded.is_battery_low`,
  )
  const forget = sqlite.prepare<[device: number]>('DELETE FROM device_told WHERE device_number = ?')

  return {
    /** Does nothing for a device without a partner. */
    addOf(
      { clientId, serial }: { clientId: string | null; serial: string },
      type: DeviceEventType,
      at: number,
      more: EventData = {},
    ) {
      if (clientId !== null)
        add.run({ clientId, type, at, data: JSON.stringify({ deviceSerial: serial, ...more }) })
    },
    setOnline: (device: number, isOnline: boolean) => void setOnline.run(device, Number(isOnline)),
    setBatteryLow: (device: number, isLow: boolean) => void setBatteryLow.run(device, 1, Number(isLow)),
    /** The device has no partner any more. */
    forget: (device: number) => void forget.run(device),
  }
}
