import { example, story } from '../http/openapi/examples/story.ts'
import { type EventData, type EventType, firstSeqAt, toEventJson } from './event.ts'
import { eventId } from './event-id.ts'

const { paymentId, ftCode, traceTransfer, storeId, terminalID, bankCode, billNumber } = story
const { transactionAmount, deviceSerial } = story
const payment = { id: paymentId, ftCode, traceTransfer, terminalID, storeId, bankCode, billNumber }
const announced = { paymentId, ftCode, traceTransfer, storeId, terminalID, transactionAmount, deviceSerial }

const DAY = '2026-11-20T'
const queued = `${DAY}03:15:31.120Z`
const heard = { queued, sent: `${DAY}03:15:31.131Z`, received: `${DAY}03:15:31.190Z` }
const played = `${DAY}03:15:34.050Z`

/** For each type an event of the story: what it says, when it happened, and its data. */
const EVENTS: Readonly<Record<EventType, readonly [says: string, timestamp: string, data: EventData]>> = {
  'payment.recorded': [
    'A payment is on disk',
    queued,
    {
      ...{ ...payment, transactionAmount, payDate: `${DAY}03:15:30.000Z`, receivedAt: queued },
      outcome: 'bill_paid',
    },
  ],
  'bill.paid': ['The bill is paid', queued, { storeId, billNumber, transactionAmount, paymentId }],
  'announcement.played': [
    'The speaker has said the amount',
    played,
    { ...announced, n: 41, times: { ...heard, played } },
  ],
  'announcement.delivered': [
    'The speaker has it, and does not say whether it has sounded',
    played,
    { ...announced, n: 41, times: { queued, sent: heard.sent, delivered: played } },
  ],
  'announcement.missed': [
    'The speaker was not there within two minutes',
    `${DAY}03:17:31.120Z`,
    { ...announced, n: 41, times: { queued, expired: `${DAY}03:17:31.120Z` } },
  ],
  'announcement.failed': [
    'The speaker could not say the amount',
    played,
    { ...announced, n: 41, reason: 'audio_failed', times: { ...heard, failed: played } },
  ],
  'announcement.suppressed': [
    'The speaker was locked',
    queued,
    { ...announced, times: { queued, suppressed: queued } },
  ],
  'device.registered': ['A speaker is yours', `${DAY}03:01:00.000Z`, { deviceSerial, storeId }],
  'device.unregistered': ['A speaker is yours no more', `${DAY}09:00:00.000Z`, { deviceSerial }],
  'device.locked': ['A speaker is silent', `${DAY}08:00:00.000Z`, { deviceSerial }],
  'device.unlocked': ['A speaker announces again', `${DAY}08:30:00.000Z`, { deviceSerial }],
  'device.online': [
    'A speaker is back',
    `${DAY}06:12:00.000Z`,
    { deviceSerial, lastSeenAt: `${DAY}06:12:00.000Z` },
  ],
  'device.offline': [
    'A speaker has been away for a minute',
    `${DAY}06:01:00.000Z`,
    { deviceSerial, lastSeenAt: `${DAY}06:00:00.000Z` },
  ],
  'device.battery_low': ['A battery is low', `${DAY}07:30:00.000Z`, { deviceSerial, battery: 14 }],
  'settings.applied': [
    'A speaker uses other settings',
    `${DAY}03:20:00.000Z`,
    { deviceSerial, ver: 3, volume: 80, lang: 'vi' },
  ],
  'amount.keyed': [
    'Somebody has keyed in an amount',
    `${DAY}03:10:00.000Z`,
    {
      ...{ deviceSerial, storeIds: [storeId], transactionAmount, keyedId: story.keyedId },
      expiresAt: `${DAY}03:25:00.000Z`,
    },
  ],
  'webhook.test': ['You asked for it', `${DAY}03:30:00.000Z`, { webhookId: story.webhookId }],
}

const idOf = eventId(story.clientId)

/** An event of this type, as partners get it. */
export function eventExample<T extends EventType>(type: T) {
  const [summary, timestamp, data] = EVENTS[type]
  const at = Date.parse(timestamp)
  const seq = firstSeqAt(at)
  return example(summary, { ...toEventJson({ id: idOf(at, seq), seq, type, at, data }), type })
}

const { summary, value } = eventExample('announcement.played')

export const eventExamples = {
  readEvents: {
    answer: {
      played: example(summary, { data: [value], next: value.seq }),
      nothing: example('Nothing new', { data: [], next: value.seq }),
    },
    errors: {
      EVENTS_GONE: {
        after:
          'events behind it were deleted, and the oldest event that is kept has the seq 1795231000000000: leave after out to go on with what is kept',
      },
    },
  },
}
