import type { OpenAPIHono } from '@hono/zod-openapi'
import { EVENT_DTOS, pascalCase } from '../events/dto.ts'
import { eventExample } from '../events/examples.ts'
import { endpoint } from '../http/guards/endpoint.ts'
import type { Guards } from '../http/guards/guards.ts'
import { parameters } from '../http/openapi/components.ts'
import { webhookExamples as examples } from '../http/openapi/examples/webhooks.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { isoInstant } from '../platform/clock.ts'
import { byPartner } from '../security/actor.ts'
import * as dto from './dto.ts'
import type { listDeliveries } from './list-deliveries.ts'
import type { manageWebhooks } from './manage-webhooks.ts'
import type { replayEvents } from './replay-events.ts'

export interface WebhookVerbs extends ReturnType<typeof manageWebhooks> {
  listDeliveries: ReturnType<typeof listDeliveries>
  replayEvents: ReturnType<typeof replayEvents>
}

const CREATE = `
Sends your events to an address of yours from now on, by Standard Webhooks 1.0.0. The section \`webhooks\` of this document
has the requests. You may have 10.

**Verify** every request: the operations of that section say how the header \`webhook-signature\` is made, and the libraries
of [standardwebhooks.com](https://www.standardwebhooks.com) do it. Compare in constant time, over the bytes of the body as
they came.

**Answer** with 2xx within 15 seconds, and work afterwards. Anything else is a failure: another status, a redirect, which is
never followed, or no answer. An attempt that fails is repeated after 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h
and 24 h, each 10 % more or less. After 429, 502, 503 and 504 it is repeated when \`Retry-After\` says, up to 24 hours later.
Other events do not wait for one that has failed. After ten failures in a row all wait until one request succeeds, which the
hub sends at least every five minutes: \`held\` in the list of deliveries.

**At least once.** An event may come twice, and events come in any order: \`webhook-id\` tells repetitions, and \`seq\` tells
the order. None is lost: after an outage of yours they come, or send a replay.

**Speed.** At first 4 requests are under way to an endpoint. They become more, up to 64, as long as it answers as fast as
before, and are 4 again at once after a failure, when replies take twice as long, and while the hub is busy with payments.
Each request has one event.

**The end.** 410 disables the webhook at once, and five days of nothing but failures do: \`state\` and \`disabledReason\` say so.
Enable it again, and it goes on where it stopped.

The address must be public and \`https\`: it is checked now and at each connection. The operator may allow networks of its
own.
`.trim()

const SENT_TO = `
The hub sends this to your webhooks, with the event's bytes as the body, the same at every attempt. Verify the signature,
answer with 2xx within 15 seconds, and tell repetitions by \`webhook-id\`. When one does not verify,
[/docs/webhooks](/docs/webhooks) says why.
`.trim()

const tag = 'Partner Webhook'

type Routes = (app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: WebhookVerbs) => void

/** The endpoints under /partner/webhook */
export const webhookRoutes: Routes = (...to) => {
  for (const add of [createAndFind, changeAndDelete, testAndReplay]) add(...to)
}

const createAndFind: Routes = (app, guards, verbs) => {
  endpoint(app, guards.partnerOnce, {
    route: ['post', '/partner/webhook'],
    ...{ tag, operationId: 'createWebhook', summary: 'Create a webhook' },
    description: [CREATE],
    body: dto.createDto,
    answer: dto.createdDto,
    status: 201,
    answered: 'The webhook, with its secret, which is shown once.',
    errors: ['WEBHOOK_URL_REFUSED', 'WEBHOOK_LIMIT'],
    examples: examples.createWebhook,
    async handle({ c, clientId, body }) {
      const holds = (ms: number) => guards.rests(c, ms)
      const { webhook, secret } = await verbs.createWebhook(clientId, dto.toFields(body), holds)
      return { ...dto.toWebhookDto(webhook), secret }
    },
  })

  endpoint(app, guards.partner, {
    route: ['get', '/partner/webhook'],
    ...{ tag, operationId: 'listWebhooks', summary: 'List webhooks' },
    description: [
      'All your webhooks, at most 10, those that were made last first. Their secrets are not in it.',
    ],
    answer: dto.webhookListDto,
    answered: 'All webhooks; `next` is null.',
    examples: examples.listWebhooks,
    async handle({ clientId }) {
      return { data: (await verbs.listWebhooks(clientId)).map(dto.toWebhookDto), next: null }
    },
  })

  endpoint(app, guards.partner, {
    route: ['get', '/partner/webhook/{id}'],
    ...{ tag, operationId: 'getWebhook', summary: 'Get a webhook' },
    description: [
      'A webhook of yours: what it gets, whether it is enabled, since when its endpoint fails, and how far the replay of a range is.',
    ],
    params: dto.webhookParams,
    answer: dto.webhookDetailDto,
    answered: 'The webhook, without its secret.',
    errors: ['WEBHOOK_NOT_FOUND'],
    examples: examples.getWebhook,
    async handle({ clientId, params }) {
      const { webhook, replay = null } = await verbs.getWebhook(clientId, params.id)
      return { ...dto.toWebhookDto(webhook), replay }
    },
  })
}

const changeAndDelete: Routes = (app, guards, verbs) => {
  endpoint(app, guards.partnerWithBody, {
    route: ['patch', '/partner/webhook/{id}'],
    ...{ tag, operationId: 'changeWebhook', summary: 'Change a webhook' },
    description: [
      'Changes the given fields, at least one. A new `url` is checked as that of a new webhook.',
      'Other `types` hold for the events that have not been sent yet.',
      '`state: "disabled"` stops deliveries and ends the replay of a range. `"enabled"` starts them again: the events since then are sent, as far as they are kept.',
      'Another `url` and `state: "enabled"` try at once what is pending. No change makes anything wait longer.',
    ],
    params: dto.webhookParams,
    body: dto.changeDto,
    answer: dto.webhookDto,
    answered: 'The changed webhook.',
    errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_URL_REFUSED'],
    examples: examples.changeWebhook,
    async handle({ c, clientId, params, body }) {
      const holds = (ms: number) => guards.rests(c, ms)
      return dto.toWebhookDto(
        await verbs.changeWebhook(byPartner(clientId), params.id, dto.toChange(body), holds),
      )
    },
  })

  endpoint(app, guards.partner, {
    route: ['delete', '/partner/webhook/{id}'],
    ...{ tag, operationId: 'deleteWebhook', summary: 'Delete a webhook' },
    description: [
      'Deletes a webhook with its deliveries. A request that is under way may still arrive. The events stay in your log.',
    ],
    params: dto.webhookParams,
    status: 204,
    answered: 'It is deleted.',
    errors: ['WEBHOOK_NOT_FOUND'],
    examples: examples.deleteWebhook,
    handle: async ({ clientId, params }) => verbs.deleteWebhook(clientId, params.id),
  })

  endpoint(app, guards.partnerOnceBare, {
    route: ['post', '/partner/webhook/{id}/rotate'],
    ...{ tag, operationId: 'rotateWebhookSecret', summary: 'Rotate the secret' },
    description: [
      'Makes a new secret, which is shown once. For 24 hours every delivery carries two signatures, one by each secret: within that time give your endpoint the new one.',
      'Within that time another rotation is refused with `40908`: send an `Idempotency-Key`, so that a lost answer can be asked for again.',
    ],
    params: dto.webhookParams,
    answer: dto.rotatedDto,
    answered: 'The new secret.',
    errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_ROTATION_UNDER_WAY'],
    examples: examples.rotateWebhookSecret,
    async handle({ clientId, params }) {
      const { secret, previousUntil } = await verbs.rotateSecret(clientId, params.id)
      return { secret, previousUntil: isoInstant(previousUntil) }
    },
  })
}

const testAndReplay: Routes = (app, guards, verbs) => {
  endpoint(app, guards.partner, {
    route: ['post', '/partner/webhook/{id}/test'],
    ...{ tag, operationId: 'testWebhook', summary: 'Test a webhook' },
    description: [
      'Adds an event `webhook.test`, which is sent to this webhook alone, whatever its types are. `eventId` finds its delivery in the list of deliveries.',
      'A disabled webhook gets it when it is enabled again.',
    ],
    params: dto.webhookParams,
    answer: dto.testedDto,
    status: 202,
    answered: 'The event is on its way.',
    errors: ['WEBHOOK_NOT_FOUND'],
    examples: examples.testWebhook,
    async handle({ clientId, params }) {
      return { eventId: await verbs.testWebhook(clientId, params.id) }
    },
  })

  endpoint(app, guards.partner, {
    route: ['get', '/partner/webhook/{id}/deliveries'],
    ...{ tag, operationId: 'listDeliveries', summary: 'List deliveries' },
    description: [
      'What became of events at this webhook, those of the newest events first, each with its attempts: time, status, duration, and the first 256 bytes of the reply.',
      'Events that wait are in it as `pending`, with the time of their next attempt, also those without an attempt so far. `held` says that they wait until one request has found out whether your endpoint is back. To read the whole list, send `next` as `cursor` until it is null.',
    ],
    params: dto.webhookParams,
    query: dto.deliveryQuery,
    answer: dto.deliveryListDto,
    answered: 'A page of deliveries.',
    errors: ['WEBHOOK_NOT_FOUND'],
    examples: examples.listDeliveries,
    async handle({ clientId, params, query: { limit, cursor, state } }) {
      const { rows, next } = await verbs.listDeliveries(clientId, params.id, { state }, { limit, cursor })
      return { data: rows.map(dto.toDeliveryDto), next: next ?? null }
    },
  })

  endpoint(app, guards.partnerOnce, {
    route: ['post', '/partner/webhook/{id}/replay'],
    ...{ tag, operationId: 'replayEvents', summary: 'Send events again' },
    description: [
      'Sends one event again, or all events of a range of time that are of the types of the webhook, also those that were delivered. `webhook-id` is the same as before.',
      'The time is that of the events, `since` included and `until` not. Only events that are still kept are sent.',
      'A disabled webhook gets them when it is enabled again.',
      'A range has at most 100,000 events: a larger one is `41301`, and `details` says how to take it in pieces. New events go first. One range at a time is sent to a webhook: meanwhile another one is `40911`, `GET /webhook/{id}` shows how far it is, and `state: "disabled"` ends it.',
      'The events are counted first. Wait for the answer: nothing is sent when the connection is closed before the count is over.',
    ],
    params: dto.webhookParams,
    body: dto.replayDto,
    answer: dto.replayedDto,
    status: 202,
    answered: 'The events will be sent.',
    errors: ['WEBHOOK_NOT_FOUND', 'EVENT_NOT_FOUND', 'WEBHOOK_REPLAY_UNDER_WAY', 'WEBHOOK_REPLAY_TOO_LARGE'],
    examples: examples.replayEvents,
    async handle({ c, clientId, params, body }) {
      const asked = dto.toReplay(body)
      return {
        count: await verbs.replayEvents(byPartner(clientId), params.id, asked, (ms) => guards.rests(c, ms)),
      }
    },
  })
}

/** Describes the requests to webhooks. For the outer app: the inner one would put the path of the API before their names. */
export function describeDeliveries({ openAPIRegistry }: OpenAPIHono<HttpEnv>) {
  for (const { type, dto: schema } of EVENT_DTOS) {
    const sent = eventExample(type)
    openAPIRegistry.registerWebhook({
      ...{ method: 'post', path: type, operationId: `send${pascalCase(type)}` },
      ...{ tags: [tag], summary: sent.summary, description: SENT_TO, security: [] },
      parameters: parameters('WebhookId', 'WebhookTimestamp', 'WebhookSignature'),
      request: {
        body: { required: true, content: { 'application/json': { schema, examples: { sent } } } },
      },
      responses: {
        '2XX': { description: 'Your endpoint has the event. The body is not read beyond the first bytes.' },
        '410': { description: 'Your endpoint is gone: the webhook is disabled.' },
        default: { description: 'The event is sent again later.' },
      },
    })
  }
}
