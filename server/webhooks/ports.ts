import type { Page, PageRequest } from '../platform/page.ts'
import type { Actor } from '../security/actor.ts'
import type { WebhookChange } from './change.ts'
import type { Backlog, Delivery, DeliveryState, DisabledReason, Webhook, WebhookSecrets } from './webhook.ts'

/** The webhooks of partners. */
export interface WebhookRecords {
  /** Adds an enabled webhook, which gets the events from now on. False: the partner has as many as it may have. */
  add(by: Actor, webhook: Webhook, secret: string): Promise<boolean>
  /** The partner's webhooks, the newest first. */
  list(clientId: string): Promise<Webhook[]>
  /** One of the partner's webhooks; one of all partners' without `clientId`. */
  find(clientId: string | undefined, id: string): Promise<Webhook | undefined>
  /**
   * Changes what is given; `types: undefined` gives it all types. An enabled webhook goes on where it stopped, with no
   * failure counted. After `state: 'enabled'` and after another URL, what is pending is due at once. `state: 'disabled'`
   * ends a replay of a range. Undefined when the partner has no such webhook.
   */
  change(by: Actor, id: string, change: WebhookChange, at: number): Promise<Webhook | undefined>
  /** Deletes it with its deliveries. False when the partner has no such webhook. */
  remove(by: Actor, id: string, at: number): Promise<boolean>
  /**
   * Makes `secret` the newest; the one before signs as well until `until`. `underWay`: one before it still does at `at`.
   */
  rotate(
    by: Actor,
    id: string,
    secret: string,
    at: number,
    until: number,
  ): Promise<'rotated' | 'underWay' | 'unknown'>
  /** Undefined when the webhook was deleted. */
  backlog(webhookId: string): Promise<Backlog | undefined>
  /**
   * How many events wait for an endpoint: deliveries that are tried again, and events behind `after` that have none so far.
   * It counts some thousands, and says then that there are more.
   */
  held(
    webhook: Pick<Webhook, 'id' | 'clientId' | 'types'>,
    after: number,
  ): Promise<{ count: number; isMore: boolean }>
  /** A page of a webhook's deliveries, those of the newest events first. */
  deliveries(
    webhookId: string,
    filter: { state: DeliveryState | undefined },
    page: PageRequest,
  ): Promise<Page<Delivery>>
  /** Sends one event again, from the first attempt on, whatever became of it. */
  replay(
    by: Actor,
    webhookId: string,
    event: Pick<Delivery, 'seq' | 'eventId' | 'type'>,
    at: number,
  ): Promise<void>
  /**
   * Sends all events of a range again that are of the webhook's types. False: another range is still being sent. A webhook
   * that was deleted gets none.
   */
  replayRange(by: Actor, webhookId: string, range: ReplayRange, at: number): Promise<boolean>
}

/** Events to send again: those above the seq `after`, up to `upTo`. `count` of them are of the webhook's types. */
export interface ReplayRange {
  after: number
  upTo: number
  count: number
}

/**
 * A part of a partner's event log that a webhook has still to get, by rising seq. The first feed of a webhook has no end;
 * each replay of a range adds one.
 */
export interface Feed {
  /** 0 for the one without an end. Rises with each replay. */
  number: number
  /** Every event up to this seq has a delivery, or is not for the webhook. */
  after: number
  /** Undefined: no end. */
  upTo: number | undefined
}

/** A webhook as the hub sends to it. */
export interface Sending extends Webhook, WebhookSecrets {
  /**
   * Rises with each change by the partner. When it changes, read the feeds again from their stored positions: an event that
   * the old types left out may be of the new types.
   */
  revision: number
  feeds: Feed[]
}

/** What the attempts since the last call have changed at one webhook. */
export interface Progress {
  webhookId: string
  /** Under which the events were read. */
  revision: number
  /** Deliveries with their last attempt. */
  deliveries: readonly Delivery[]
  /** By number: where each feed is now, and how many events of a range were sent since the last call. */
  feeds: readonly (Pick<Feed, 'number' | 'after'> & { sent?: number })[]
  /** As it is now. */
  failingSince: number | undefined
  lastDeliveredAt: number | undefined
  /** As in Backlog. */
  probeAt?: number | undefined
  /** Disables the webhook. */
  disabled: DisabledReason | undefined
}

/** What the hub needs to send webhooks. */
export interface WebhookQueue {
  /** Every enabled webhook of an enabled partner. */
  sending(): Promise<Sending[]>
  /** The seqs that have a delivery. A killed hub may have stored deliveries beyond the position of its feed. */
  begun(webhookId: string, seqs: readonly number[]): Promise<Set<number>>
  /** Pending deliveries of a webhook that are due, those due for the longest time first. */
  due(webhookId: string, at: number, limit: number): Promise<Delivery[]>
  /** For each webhook that has a pending delivery: when its first one is due. */
  nextDue(webhookIds: readonly string[]): Promise<Map<string, number>>
  /**
   * Stores the results of attempts. Each webhook is named once, and its changes are in one commit. When this act fails,
   * a part may be stored: store all of it again.
   *
   *  - A feed only moves forward, and only while the revision is that of the progress. At its end it is deleted.
   *  - A webhook that was deleted meanwhile stays deleted. An event that was deleted gets no delivery.
   *  - A webhook that was enabled again meanwhile is not disabled by earlier failures.
   *  - An event whose replay was asked for after its attempt began stays due.
   */
  store(progress: readonly Progress[], at: number): Promise<void>
  /** For the operator and the metrics. */
  counts(): Promise<WebhookCounts>
}

export interface WebhookCounts {
  enabled: number
  /** Enabled, and the last attempt has failed. */
  failing: number
  disabled: Record<DisabledReason | 'partner', number>
  /** Deliveries that are tried again. */
  pending: number
}
