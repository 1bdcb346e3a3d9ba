import { z } from '@hono/zod-openapi'
import { seqDto } from '../events/dto.ts'
import { EVENT_TYPES } from '../events/event.ts'
import { story } from '../http/openapi/examples/story.ts'
import { webhookExamples } from '../http/openapi/examples/webhooks.ts'
import { instantParam, listOf, paging } from '../http/openapi/lists.ts'
import { instant, said, shown, whole } from '../http/openapi/schemas.ts'
import { printable, required } from '../http/openapi/text-rules.ts'
import { isoInstant } from '../platform/clock.ts'
import type { WebhookChange } from './change.ts'
import type { ListedDelivery } from './list-deliveries.ts'
import type { Replay } from './replay-events.ts'
import { DELIVERY_STATES, DISABLED_REASONS, type Webhook, type WebhookFields } from './webhook.ts'

const example = webhookExamples.getWebhook.answer.enabled.value
const attempted = webhookExamples.listDeliveries.answer.page.value.data[0]?.attempts[0]

const [URL_LENGTH, DESCRIPTION_LENGTH] = [2_048, 256]

const url = printable(1, URL_LENGTH).openapi({
  description:
    'Where events are sent to: `https://`, a public address, no user name or password. Another one is `40021`, and `details` says why. It may hold a token of yours in its path or query.',
  examples: [story.webhookUrl],
})

/** The name of the type is in the issue unless it could not be one of a later release. */
const unknownType = (input: unknown) =>
  typeof input === 'string' && /^[a-z._]{1,64}$/.test(input)
    ? `${input} is not a type of events: these are ${EVENT_TYPES.join(', ')}`
    : `must be one of ${EVENT_TYPES.join(', ')}`

const types = z
  .array(z.enum(EVENT_TYPES, required(unknownType)), 'must be an array of types, or null for all')
  .min(1, 'must have a type; leave it out, or send null, for all')
  .max(EVENT_TYPES.length, `must have at most ${EVENT_TYPES.length} types`)
  .nullable()
  .openapi({
    description: 'The types of events that are sent; null: all, also those of later releases.',
    examples: [example.types],
  })

const description = printable(0, DESCRIPTION_LENGTH).openapi(
  shown('For you, to tell your webhooks apart.', example.description),
)

/** Without doubles; null is the absence of a choice. */
const chosen = (types: WebhookFields['types'] | null): WebhookFields['types'] =>
  types ? [...new Set(types)] : undefined

export const createDto = z
  .object({ url, types: types.optional(), description: description.optional() })
  .openapi('CreateWebhookRequestDto', { description: 'A webhook. Without `types` it gets all events.' })

export function toFields({ url, types, description = '' }: z.output<typeof createDto>): WebhookFields {
  return { url, types: chosen(types), description }
}

const CHANGES = ['url', 'types', 'description', 'state'] as const
const STATES = ['enabled', 'disabled'] as const

export const changeDto = z
  .object({
    url: url.optional(),
    types: types.optional(),
    description: description.optional(),
    state: z
      .enum(STATES, 'must be enabled or disabled')
      .optional()
      .openapi({
        description: '`disabled` stops deliveries; `enabled` goes on with the events since then.',
        examples: ['enabled'],
      }),
  })
  .refine((change) => CHANGES.some((name) => change[name] !== undefined), {
    path: ['body'],
    message: `must have at least one of ${CHANGES.join(', ')}`,
  })
  .openapi('UpdateWebhookRequestDto', {
    description: 'The fields to change, at least one. Absent fields stay unchanged; `types: null` means all.',
    anyOf: CHANGES.map((name) => ({ required: [name] })),
  })

export const toChange = (change: z.output<typeof changeDto>): WebhookChange => ({
  ...(change.url !== undefined && { url: change.url }),
  ...(change.types !== undefined && { types: chosen(change.types) }),
  ...(change.description !== undefined && { description: change.description }),
  ...(change.state !== undefined && { state: change.state }),
})

const replayed = (description: string) =>
  instantParam(description, '').openapi({ examples: ['2026-11-20T03:00:00Z'] })

export const replayDto = z
  .object({
    eventId: printable(1, 64).optional().openapi(shown('One event, whatever its type.', story.eventId)),
    since: replayed(
      'All events that happened at this time or later (ISO 8601; without an offset it is +07:00).',
    ),
    until: replayed('Only with `since`: events before this time. When absent: until now.'),
  })
  .refine((body) => (body.eventId === undefined) !== (body.since === undefined), {
    path: ['body'],
    message: 'must have either eventId or since',
  })
  .refine((body) => body.until === undefined || body.since !== undefined, {
    path: ['until'],
    message: 'must not be without since',
  })
  .refine(({ since, until }) => since === undefined || until === undefined || since <= until, {
    path: ['until'],
    message: 'must not be before since',
  })
  .openapi('ReplayEventsRequestDto', {
    description: 'Either one event, or a range of time.',
    oneOf: [{ required: ['eventId'] }, { required: ['since'] }],
  })

export function toReplay({ eventId, since = 0, until }: z.output<typeof replayDto>): Replay {
  return eventId === undefined ? { since, until } : { eventId }
}

export const webhookParams = z.object({
  id: z.string().openapi({
    description: 'The id of the webhook, from the response of its creation.',
    examples: [story.webhookId],
  }),
})

const instantOrNull = (description: string, example: string) =>
  z.iso.datetime().nullable().openapi(shown(description, example))

const webhookFields = {
  id: said('The webhook. It never changes.', story.webhookId),
  url: said('Where events are sent to, normalised.', story.webhookUrl),
  types: z
    .array(z.enum(EVENT_TYPES))
    .nullable()
    .openapi({ description: 'The types that are sent; null: all.', examples: [example.types] }),
  description: said('Yours; empty when never given.', example.description),
  state: z.enum(STATES).openapi({
    description: '`disabled`: events wait, and are sent from there on when it is enabled again.',
    examples: ['enabled'],
  }),
  disabledReason: z
    .enum(DISABLED_REASONS)
    .nullable()
    .openapi({
      description:
        'Why the hub has disabled it. `gone`: your endpoint answered 410. `failing`: every attempt of five days has failed. Null: you have disabled it, or it is enabled.',
      examples: ['failing'],
    }),
  createdAt: instant('When it was created.', example.createdAt),
  failingSince: instantOrNull(
    'The first failure since the last success. Null when the last attempt has succeeded.',
    '2026-11-20T03:20:00.000Z',
  ),
  lastDeliveredAt: instantOrNull('The last success. Null before the first one.', '2026-11-20T03:15:34.120Z'),
}

export const webhookDto = z.object(webhookFields).openapi('WebhookDto', {
  description: 'An endpoint of yours to which events are sent. The secret is not in it.',
})

const replayProgress = z
  .object({
    count: whole('The events of the range.', 1_200),
    sent: whole('Those of which an attempt is over.', 430),
  })
  .nullable()
  .openapi({ description: 'The range of events that is being sent again; null when there is none.' })

export const webhookDetailDto = z
  .object({ ...webhookFields, replay: replayProgress })
  .openapi('WebhookDetailDto', { description: 'A webhook, and how far the replay of a range is.' })

export const webhookListDto = listOf('WebhookListDto', 'All your webhooks.', webhookDto)

const secret = said(
  'Verifies the deliveries: `whsec_` and base64 of 32 bytes. No later answer has it: keep it now.',
  story.webhookSecret,
)

export const createdDto = z
  .object({ ...webhookFields, secret })
  .openapi('CreatedWebhookDto', { description: 'The new webhook, with its secret.' })

export const rotatedDto = z
  .object({
    secret,
    previousUntil: instant(
      'Until then, deliveries are signed with the secret before as well.',
      webhookExamples.rotateWebhookSecret.answer.rotated.value.previousUntil,
    ),
  })
  .openapi('RotatedWebhookSecretDto', { description: 'The new secret.' })

export const testedDto = z
  .object({ eventId: said('The event, which finds its delivery.', story.eventId) })
  .openapi('TestedWebhookDto', { description: 'The event that is on its way.' })

export const replayedDto = z
  .object({ count: whole('The number of events that are sent again.', 1) })
  .openapi('ReplayedEventsDto', { description: 'How many events are sent again.' })

export const deliveryQuery = z.object({
  ...paging,
  state: z
    .enum(DELIVERY_STATES, `must be one of ${DELIVERY_STATES.join(', ')}`)
    .optional()
    .openapi({ description: 'Only deliveries in this state.' }),
})

const attemptDto = z.object({
  at: instant('When the request was sent.', attempted?.at ?? ''),
  status: z.int().nullable().openapi(shown('The HTTP status; null when no reply came.', 503)),
  ms: whole('How long it took, in milliseconds.', 41),
  error: z
    .string()
    .nullable()
    .openapi(shown('Why no reply came, a sentence; null when one came.', 'No reply came within 15 s.')),
  reply: said('The first 256 bytes of the reply.', 'try later'),
})

const deliveryDto = z
  .object({
    eventId: said('The event.', story.eventId),
    seq: seqDto,
    type: z.enum(EVENT_TYPES).openapi({ description: 'Its type.', examples: ['announcement.played'] }),
    state: z.enum(DELIVERY_STATES).openapi({
      description:
        '`pending`: it waits for its first or next attempt. `failed`: the last attempt has failed; a replay sends it again.',
      examples: ['pending'],
    }),
    nextAttemptAt: instantOrNull(
      'When it is tried next, or since when it could be. Null unless it is pending, and for new events of a disabled webhook.',
      '2026-11-20T03:15:39.400Z',
    ),
    held: z.boolean().openapi({
      description:
        'Your endpoint has failed ten times in a row, and everything waits until one request has found out whether it is back.',
      examples: [false],
    }),
    attempts: z.array(attemptDto).openapi({ description: 'The newest 20, oldest first.' }),
  })
  .openapi('WebhookDeliveryDto', { description: 'What became of an event at a webhook.' })

export const deliveryListDto = listOf('WebhookDeliveryListDto', 'A page of deliveries.', deliveryDto)

const orNull = (at: number | undefined) => (at === undefined ? null : isoInstant(at))

/** A webhook as its partner sees it. */
export function toWebhookDto(webhook: Webhook): z.input<typeof webhookDto> {
  const { id, url, types, description, state, disabledReason, createdAt } = webhook
  return {
    ...{ id, url, types: types ? [...types] : null, description, state },
    disabledReason: disabledReason ?? null,
    createdAt: isoInstant(createdAt),
    failingSince: orNull(webhook.failingSince),
    lastDeliveredAt: orNull(webhook.lastDeliveredAt),
  }
}

/** A delivery as its partner sees it. */
export function toDeliveryDto(delivery: ListedDelivery): z.input<typeof deliveryDto> {
  const { eventId, seq, type, state, nextAt, held, attempts } = delivery
  return {
    ...{ eventId, seq: String(seq), type, state, nextAttemptAt: orNull(nextAt), held },
    attempts: attempts.map(({ at, status = null, ms, error = null, reply }) => ({
      ...{ at: isoInstant(at), status, ms, error, reply },
    })),
  }
}
