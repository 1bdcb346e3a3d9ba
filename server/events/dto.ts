import { z } from '@hono/zod-openapi'
import { story } from '../http/openapi/examples/story.ts'
import { instant, said } from '../http/openapi/schemas.ts'
import { EVENT_TYPES, isEventType } from './event.ts'

const [LIMIT, MOST] = [50, 100]
const MOST_WAIT_S = 30

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

const seq = z.string().regex(/^[0-9]{1,16}$/)

const eventDto = z
  .object({
    id: said('The event. It stays the same at every reading and delivery.', story.eventId),
    seq: seq.openapi({
      description: 'The place of the event in your log: it rises, with gaps.',
      examples: [story.seq],
    }),
    type: z
      .enum(EVENT_TYPES)
      .openapi({ description: 'What has happened.', examples: ['announcement.played'] }),
    timestamp: instant('When it happened.', '2026-11-20T03:15:34.050Z'),
    data: z.record(z.string(), z.unknown()).openapi({
      description:
        'What the event tells, by its type: ids, amounts, codes and times, and nothing about the payer.',
      examples: [{ deviceSerial: story.deviceSerial, battery: 14 }],
    }),
  })
  .openapi('EventDto', { description: 'A fact. It never changes.' })

export const eventsDto = z
  .object({
    data: z.array(eventDto).openapi({ description: 'By rising seq.' }),
    next: seq.openapi({
      description:
        'The last seq that was looked at: send it as `after` of the next request. Also when `data` is empty: it may be higher than your `after` then.',
      examples: [story.seq],
    }),
  })
  .openapi('EventsDto', { description: 'A page of your events.' })
