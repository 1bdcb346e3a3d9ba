import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { EventType } from '../../../events/event.ts'
import type { DeliveryState, DisabledReason, Webhook } from '../../../webhooks/webhook.ts'
import { sealed } from './sealed-type.ts'

/** The webhooks of partners: the migration says what the columns are. */
export const webhooks = sqliteTable('webhooks', {
  id: text('id').primaryKey(),
  clientId: text('client_id').notNull(),
  url: sealed('url'),
  secrets: sealed('secrets'),
  previousUntil: integer('previous_until'),
  types: text('types'),
  description: text('description').notNull(),
  state: text('state').$type<Webhook['state']>().notNull(),
  disabledReason: text('disabled_reason').$type<DisabledReason>(),
  revision: integer('revision').notNull().default(0),
  lastFeed: integer('last_feed').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  enabledAt: integer('enabled_at').notNull(),
  failingSince: integer('failing_since'),
  lastDeliveredAt: integer('last_delivered_at'),
  probeAt: integer('probe_at'),
  deletedAt: integer('deleted_at'),
})

/** Its key is of two columns. */
export const webhookFeeds = sqliteTable('webhook_feeds', {
  webhookId: text('webhook_id').notNull(),
  number: integer('number').notNull(),
  after: integer('after').notNull(),
  upTo: integer('up_to'),
  /** Of a range: its events, and those that were sent. */
  count: integer('count').notNull().default(0),
  sent: integer('sent').notNull().default(0),
})

export const deliveries = sqliteTable('deliveries', {
  id: text('id').primaryKey(),
  webhookId: text('webhook_id').notNull(),
  seq: integer('seq').notNull(),
  eventId: text('event_id').notNull(),
  type: text('type').$type<EventType>().notNull(),
  state: text('state').$type<DeliveryState>().notNull(),
  step: integer('step').notNull(),
  nextAt: integer('next_at'),
  attempts: sealed('attempts'),
})
