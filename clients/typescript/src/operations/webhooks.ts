import type { CallOptions } from '../calls/options.ts'
import { EventOperations } from './events.ts'
import { rowsOf } from './lists.ts'
import type { Body, Query, Rows } from './sender.ts'

/** Webhooks, and their deliveries. */
export class WebhookOperations extends EventOperations {
  /** The answer has the secret of the webhook, which no other answer has. */
  createWebhook(body: Body<'createWebhook'>, options?: CallOptions) {
    return this.send('createWebhook', { body }, options)
  }

  /** All webhooks: there are at most 10. */
  listWebhooks(options?: CallOptions) {
    return this.send('listWebhooks', {}, options)
  }

  getWebhook(id: string, options?: CallOptions) {
    return this.send('getWebhook', { path: { id } }, options)
  }

  changeWebhook(id: string, body: Body<'changeWebhook'>, options?: CallOptions) {
    return this.send('changeWebhook', { path: { id }, body }, options)
  }

  deleteWebhook(id: string, options?: CallOptions) {
    return this.send('deleteWebhook', { path: { id }, read: () => undefined }, options)
  }

  /** A new secret: for 24 hours, each delivery is signed with both. */
  rotateWebhookSecret(id: string, options?: CallOptions) {
    return this.send('rotateWebhookSecret', { path: { id } }, options)
  }

  /** Asks for a `webhook.test`. It is not sent again when it may be on its way. */
  testWebhook(id: string, options?: CallOptions) {
    return this.send('testWebhook', { path: { id } }, options)
  }

  /** A page of deliveries. `deliveries` goes through all. */
  listDeliveries(id: string, query?: Query<'listDeliveries'>, options?: CallOptions) {
    return this.send('listDeliveries', { path: { id }, query }, options)
  }

  /** All deliveries of a webhook, newest first. */
  deliveries(id: string, query: Query<'listDeliveries'> = {}, options?: CallOptions): Rows<'listDeliveries'> {
    return rowsOf(query, (page) => this.listDeliveries(id, page, options))
  }

  /** Has events sent again. */
  replayEvents(id: string, body: Body<'replayEvents'>, options?: CallOptions) {
    return this.send('replayEvents', { path: { id }, body }, options)
  }
}
