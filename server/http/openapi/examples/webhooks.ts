import { example, story } from './story.ts'

const { webhookId: id, webhookUrl: url, webhookSecret: secret } = story

const webhook = {
  ...{ id, url, types: ['payment.recorded' as const, 'announcement.played' as const] },
  ...{ description: 'Books of the shop', state: 'enabled' as const, disabledReason: null },
  ...{ createdAt: '2026-11-20T02:00:00.000Z', failingSince: null, lastDeliveredAt: null },
}
const { types, description } = webhook

const attempt = {
  ...{ at: '2026-11-20T03:15:34.100Z', status: 503, ms: 41 },
  ...{ error: null, reply: 'try later' },
}

/** The operations on webhooks: requests, responses, and the `details` of errors. */
export const webhookExamples = {
  createWebhook: {
    request: {
      some: example('For two types', { url, types, description }),
      all: example('For all events', { url }),
    },
    answer: { created: example('The secret is shown once', { ...webhook, secret }) },
    errors: {
      VALIDATION_FAILED: { types: 'must have a type; leave it out, or send null, for all' },
      WEBHOOK_URL_REFUSED: { url: 'names a loopback address' },
    },
  },
  listWebhooks: {
    answer: {
      one: example('One webhook', { data: [webhook], next: null }),
      none: example('None', { data: [], next: null }),
    },
  },
  getWebhook: {
    answer: {
      enabled: example('Before the first delivery', { ...webhook, replay: null }),
      replaying: example('A range of events is being sent again', {
        ...webhook,
        replay: { count: 1_200, sent: 430 },
      }),
      disabled: example('Disabled by the hub', {
        ...{ ...webhook, state: 'disabled' as const, disabledReason: 'failing' as const },
        ...{ failingSince: '2026-11-15T03:20:00.000Z', lastDeliveredAt: '2026-11-15T03:19:34.120Z' },
        replay: null,
      }),
    },
  },
  changeWebhook: {
    request: {
      types: example('All events', { types: null }),
      state: example('Go on where it stopped', { state: 'enabled' as const }),
    },
    answer: { changed: example('The whole webhook', { ...webhook, types: null }) },
    errors: {
      VALIDATION_FAILED: { body: 'must have at least one of url, types, description, state' },
      WEBHOOK_URL_REFUSED: { url: 'must begin with https://' },
    },
  },
  deleteWebhook: {},
  rotateWebhookSecret: {
    answer: {
      rotated: example('The secret is shown once', { secret, previousUntil: '2026-11-21T02:00:00.000Z' }),
    },
    errors: { VALIDATION_FAILED: { 'Idempotency-Key': 'must be 1 to 255 visible ASCII characters' } },
  },
  testWebhook: { answer: { added: example('The event is on its way', { eventId: story.eventId }) } },
  listDeliveries: {
    answer: {
      page: example('One that is tried again; there are more', {
        data: [
          {
            ...{ eventId: story.eventId, seq: story.seq, type: 'announcement.played' as const },
            ...{ state: 'pending' as const, nextAttemptAt: '2026-11-20T03:15:39.400Z' },
            ...{ held: false, attempts: [attempt] },
          },
        ],
        next: 'ZGVsaXZlcmllcyA0MQ',
      }),
      end: example('No delivery matches', { data: [], next: null }),
    },
    errors: { VALIDATION_FAILED: { state: 'must be one of pending, delivered, failed' } },
  },
  replayEvents: {
    request: {
      one: example('One event', { eventId: story.eventId }),
      range: example('An hour', { since: '2026-11-20T03:00:00Z', until: '2026-11-20T04:00:00Z' }),
    },
    answer: { replayed: example('One event is sent again', { count: 1 }) },
    errors: {
      VALIDATION_FAILED: { body: 'must have either eventId or since' },
      WEBHOOK_REPLAY_TOO_LARGE: {
        until:
          'a range has at most 100000 events: send until 2026-11-20T03:30:00.000Z first, then the rest with since 2026-11-20T03:30:00.000Z',
      },
    },
  },
}
