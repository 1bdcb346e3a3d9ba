import type { EventType } from '../events/event.ts'

/** Webhooks of one partner. */
export const MOST_WEBHOOKS = 10
/** After a rotation, deliveries carry the signature of the previous secret as well. */
export const ROTATION_OVERLAP_MS = 24 * 3_600_000
/** An endpoint that has only failed for so long is disabled. */
export const ONLY_FAILURES_MS = 5 * 24 * 3_600_000

/** Why the hub has disabled a webhook: the endpoint answered 410, or it has only failed for five days. */
export const DISABLED_REASONS = ['gone', 'failing'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** What a partner says of a webhook. */
export interface WebhookFields {
  /** As `new URL` writes it. */
  url: string
  /** Undefined: all, also those of later releases. */
  types: readonly EventType[] | undefined
  description: string
}

/** An endpoint of a partner, to which its events are sent. */
export interface Webhook extends WebhookFields {
  /** `wh_` and a ULID. */
  id: string
  clientId: string
  state: 'enabled' | 'disabled'
  /** Undefined when the partner has disabled it, and while it is enabled. */
  disabledReason: DisabledReason | undefined
  createdAt: number
  /** The instant of the first failure since the last success. Undefined when the last attempt has succeeded. */
  failingSince: number | undefined
  lastDeliveredAt: number | undefined
}

/** The secrets that sign at an instant, the newest first: two during the overlap of a rotation. */
export interface WebhookSecrets {
  secret: string
  previous: { secret: string; until: number } | undefined
}

/** One request to an endpoint. */
export interface Attempt {
  /** When it began, milliseconds. */
  at: number
  /** Until the end of the reply, or until it failed. */
  ms: number
  /** HTTP status. Undefined when no reply came: `error` says why. */
  status: number | undefined
  /** A sentence for the partner. */
  error: string | undefined
  /** The first 256 bytes of the reply, read as UTF-8, without control characters. */
  reply: string
}

/** `pending`: it is tried again. `failed`: the last attempt of the schedule has failed. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** What became of one event at one endpoint. */
export interface Delivery {
  webhookId: string
  /** Of the event. */
  seq: number
  eventId: string
  type: EventType
  state: DeliveryState
  /** Attempts of the schedule that are over. A replay begins again at 0. */
  step: number
  /** Undefined unless it is pending. */
  nextAt: number | undefined
  /** The newest 20, oldest first. */
  attempts: readonly Attempt[]
}

/** What a webhook has still to get. */
export interface Backlog {
  /** Events above this seq that have no delivery wait for their first attempt. */
  after: number
  /** The next attempt of an endpoint that has failed ten times in a row: all that is pending waits for it. */
  probeAt: number | undefined
  /** The range that is being sent again. */
  replay: ReplayProgress | undefined
}

export interface ReplayProgress {
  /** Events of the range. */
  count: number
  /** Those whose attempt is over. */
  sent: number
}

/** Whether an event is for a webhook: one of its types; a test only for the webhook that it names. */
export function isFor(
  webhook: Pick<Webhook, 'id' | 'types'>,
  event: { type: EventType; data: Readonly<Record<string, unknown>> },
): boolean {
  if (event.type === 'webhook.test') return event.data.webhookId === webhook.id
  return webhook.types?.includes(event.type) ?? true
}
