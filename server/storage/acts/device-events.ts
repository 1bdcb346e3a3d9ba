import type { DeviceEventType, EventData } from '../../events/event.ts'
import { type Act, type Engine, type NewEvent, rows } from './act.ts'
import type { DeviceRow } from './device-rows.ts'

/** The event of a device. None for one without a partner. */
export function eventOf(
  { clientId, serial }: Pick<DeviceRow, 'clientId' | 'serial'>,
  type: DeviceEventType,
  at: number,
  more: EventData = {},
): NewEvent[] {
  return clientId === null ? [] : [{ clientId, type, at, data: { deviceSerial: serial, ...more } }]
}

/** Stores what the partners of locked devices are told of their connections. */
export function* tellOnline(
  { each }: Pick<Engine, 'each'>,
  rowIds: readonly number[],
  isOnline: boolean,
): Act<void> {
  if (rowIds.length === 0) return
  yield* rows(
    'events.tellOnline',
    `INSERT INTO device_told (device_number, is_online) SELECT cast(value AS bigint), $2 FROM ${each('$1')} WHERE true
     ON CONFLICT (device_number) DO UPDATE SET is_online = excluded.is_online`,
    [JSON.stringify(rowIds), isOnline],
  )
}

/** To its partner, a locked device does not exist any more. */
export function* endTelling({ events }: Pick<Engine, 'events'>, device: DeviceRow, at: number): Act<void> {
  yield* events(eventOf(device, 'device.unregistered', at))
  yield* rows('events.endTelling', 'DELETE FROM device_told WHERE device_number = $1', [device.rowId])
}
