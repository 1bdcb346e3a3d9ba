import type { DeviceEventType, EventData, EventType } from '../../../events/event.ts'
import type { Tx } from '../engine/database.ts'
import { columns } from './columns.ts'

interface NewEvent {
  clientId: string
  type: EventType
  at: number
  data: EventData
}

/** Adds the events that no trigger adds, in the transaction of their facts. They get their seqs after the commit. */
export async function addEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => ({ ...event, data: JSON.stringify(event.data) }))
  await tx.query(
    'events.add',
    `INSERT INTO event_queue (client_id, type, at, data)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])`,
    columns(rows, 'clientId', 'type', 'at', 'data'),
  )
}

/** The event of a device. None for one without a partner. */
export function eventOf(
  { clientId, serial }: { clientId: string | null; serial: string },
  type: DeviceEventType,
  at: number,
  more: EventData = {},
): NewEvent[] {
  return clientId === null ? [] : [{ clientId, type, at, data: { deviceSerial: serial, ...more } }]
}

/** Stores what the partners of locked devices are told of their connections. */
export async function tellOnline(tx: Tx, rowIds: readonly number[], isOnline: boolean): Promise<void> {
  if (rowIds.length === 0) return
  await tx.query(
    'events.tellOnline',
    `INSERT INTO device_told (device_number, is_online) SELECT number, $2 FROM unnest($1::bigint[]) AS number
     ON CONFLICT (device_number) DO UPDATE SET is_online = excluded.is_online`,
    [rowIds, isOnline],
  )
}

/** A locked device has no partner any more. */
export async function endTelling(tx: Tx, rowId: number): Promise<void> {
  await tx.query('events.endTelling', 'DELETE FROM device_told WHERE device_number = $1', [rowId])
}
