import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { EventData, EventType } from '../../../events/event.ts'

/** The events of partners: the migration says how they get their seqs. Its key is of two columns. */
export const events = sqliteTable('events', {
  clientId: text('client_id').notNull(),
  seq: integer('seq').notNull(),
  at: integer('at').notNull(),
  type: text('type').$type<EventType>().notNull(),
  /** The row id of a payment or of an announcement, by the type. */
  subject: integer('subject'),
  data: text('data', { mode: 'json' }).$type<EventData>(),
})

/** The highest seq of a partner's deleted events. */
export const deletedEvents = sqliteTable('deleted_events', {
  clientId: text('client_id').primaryKey(),
  seq: integer('seq').notNull(),
})

/** What the partner of a device was last told of it: see acts/device-events.ts. */
export const deviceTold = sqliteTable('device_told', {
  deviceRowId: integer('device_number').primaryKey(),
  isOnline: integer('is_online', { mode: 'boolean' }).notNull(),
  isBatteryLow: integer('is_battery_low', { mode: 'boolean' }).notNull().default(false),
})
