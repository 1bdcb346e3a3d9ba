import { z } from '@hono/zod-openapi'
import { story } from '../http/openapi/examples/story.ts'
import { instant, said, whole } from '../http/openapi/schemas.ts'
import { announcementDto, transactionDto } from '../payments/dto.ts'
import { settingsDto } from '../settings/dto.ts'
import { EVENT_TYPES, type EventType, isEventType, type toEventJson } from './event.ts'
import { eventExample } from './examples.ts'

const [LIMIT, MOST] = [50, 100]
/** The longest that a read may wait for an event. */
export const MOST_WAIT_S = 30

/** A whole number of a query. */
const number = (digits: number, issue: string, isGood: (value: number) => boolean) =>
  z
    .string()
    .regex(new RegExp(`^[0-9]{1,${digits}}$`), issue)
    .transform(Number)
    .refine(isGood, issue)

const types = z.string().transform((text, { addIssue }) => {
  const names = text.split(',')
  const unknown = names.find((name) => !isEventType(name))
  if (unknown === undefined) return names.filter(isEventType)
  addIssue({
    code: 'custom',
    message: `must be types of events with commas between them: ${EVENT_TYPES.join(', ')}`,
  })
  return z.NEVER
})

export const eventQuery = z.object({
  after: number(16, 'must be the seq of an event', Number.isSafeInteger)
    .optional()
    .openapi({
      type: 'string',
      description:
        'The `next` of the answer before, or the seq of an event. Without it, the oldest event that is kept is the first.',
      examples: [story.seq],
    }),
  types: types.optional().openapi({
    type: 'string',
    description: 'Types of events, with commas between them. Without it, all.',
    examples: ['payment.recorded,announcement.played'],
  }),
  limit: number(3, `must be 1 to ${MOST}`, (value) => value >= 1 && value <= MOST)
    .optional()
    .openapi({
      type: 'string',
      description: `The most events of one answer, 1 to ${MOST}; ${LIMIT} without it.`,
      examples: ['100'],
    }),
  wait: number(2, `must be 0 to ${MOST_WAIT_S} seconds`, (value) => value <= MOST_WAIT_S)
    .optional()
    .openapi({
      type: 'string',
      description: `Seconds, 0 to ${MOST_WAIT_S}: as long as there is no event, the answer waits for one. 0 without it.`,
      examples: ['30'],
    }),
})

export const toRequest = ({ after, types, limit = LIMIT, wait = 0 }: z.output<typeof eventQuery>) => ({
  ...{ after, types, limit },
  waitMs: wait * 1_000,
})

export const seqDto = z
  .string()
  .regex(/^[0-9]{1,16}$/)
  .openapi({
    description: 'The place of the event in your log: it rises, with gaps.',
    examples: [story.seq],
  })

const { id, ftCode, traceTransfer, terminalID, storeId, bankCode, billNumber, ...paid } = transactionDto.shape
const { transactionAmount, payDate, receivedAt, outcome } = paid
const { deviceSerial, n, reason, times } = announcementDto.shape
const { ver, volume, lang } = settingsDto.shape.reported.unwrap().shape

const presence = z
  .object({
    deviceSerial,
    lastSeenAt: instant('The last that was heard of it.', '2026-11-20T06:00:00.000Z'),
  })
  .openapi('DevicePresenceEventData', { description: 'The speaker, and when it was there.' })
const device = z.object({ deviceSerial }).openapi('DeviceEventData', { description: 'The speaker.' })
const announcement = z
  .object({
    ...{ paymentId: id, ftCode, traceTransfer, storeId, terminalID, transactionAmount, deviceSerial },
    n: n.openapi({ description: 'The number of the command on this device; absent when it never got one.' }),
    ...{ reason, times },
  })
  .openapi('AnnouncementEventData', { description: 'The announcement of a payment on one speaker.' })

/** The data of each type of event. Tests check every event that they read against it. */
const DATA = {
  'payment.recorded': z
    .object({
      ...{ id, ftCode, traceTransfer, terminalID, storeId, bankCode, billNumber },
      ...{ transactionAmount, payDate, receivedAt, outcome },
    })
    .openapi('PaymentRecordedEventData', { description: 'The payment.' }),
  'bill.paid': z
    .object({ storeId, billNumber, transactionAmount, paymentId: id })
    .openapi('BillPaidEventData', { description: 'The bill, and the payment that pays it.' }),
  'announcement.played': announcement,
  'announcement.delivered': announcement,
  'announcement.missed': announcement,
  'announcement.failed': announcement,
  'announcement.suppressed': announcement,
  'device.registered': z.object({ deviceSerial, storeId }).openapi('DeviceRegisteredEventData', {
    description: 'The speaker, and the store whose payments it announces.',
  }),
  'device.unregistered': device,
  'device.locked': device,
  'device.unlocked': device,
  'device.online': presence,
  'device.offline': presence,
  'device.battery_low': z
    .object({ deviceSerial, battery: whole('Percent.', 14) })
    .openapi('DeviceBatteryLowEventData', { description: 'The speaker, and the charge of its battery.' }),
  'settings.applied': z
    .object({ deviceSerial, ver, volume, lang })
    .openapi('SettingsAppliedEventData', { description: 'The settings that the speaker uses.' }),
  'amount.keyed': z
    .object({
      deviceSerial,
      storeIds: z
        .array(storeId)
        .openapi({ description: 'The stores whose payments it announces.', examples: [[story.storeId]] }),
      transactionAmount: said('The amount in đồng.', story.transactionAmount),
      keyedId: said('The keyed amount.', story.keyedId),
      expiresAt: instant('Until then the speaker can show a code for it.', '2026-11-20T03:25:00.000Z'),
    })
    .openapi('AmountKeyedEventData', {
      description: 'The speaker, its stores, and the amount that somebody has keyed in.',
    }),
  'webhook.test': z
    .object({ webhookId: said('The webhook that is tested.', story.webhookId) })
    .openapi('WebhookTestEventData', { description: 'The webhook.' }),
} satisfies Record<EventType, z.ZodObject>

/** `PaymentRecorded` of `payment.recorded`. */
export function pascalCase(type: EventType): string {
  return type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function dtoOf<T extends EventType>(type: T) {
  const { summary, value } = eventExample(type)
  return z
    .object({
      id: said('The event. It stays the same at every reading and delivery.', value.id),
      seq: seqDto,
      type: z.literal(type).openapi({ description: 'What has happened.', examples: [type] }),
      timestamp: instant('When it happened.', value.timestamp),
      data: DATA[type],
    })
    .openapi(`${pascalCase(type)}EventDto`, { description: `${summary}.` })
}

/** Each type of event as it is read and as it is sent to webhooks. */
export const EVENT_DTOS = EVENT_TYPES.map((type) => ({ type, dto: dtoOf(type) }))

type EventJson = ReturnType<typeof toEventJson>

const eventDto: z.ZodType<EventJson, EventJson> = z
  .union(EVENT_DTOS.map(({ dto }) => dto))
  .openapi('EventDto', { description: 'A fact. It never changes. Later releases may have more types.' })

export const eventsDto = z
  .object({
    data: z.array(eventDto).openapi({ description: 'By rising seq.' }),
    next: seqDto.openapi({
      description:
        'The last seq that was looked at: send it as `after` of the next request. Also when `data` is empty: it may be higher than your `after` then.',
    }),
  })
  .openapi('EventsDto', { description: 'A page of your events.' })
