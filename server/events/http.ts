import type { OpenAPIHono } from '@hono/zod-openapi'
import { endpoint } from '../http/guards/endpoint.ts'
import type { Guards } from '../http/guards/guards.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { eventQuery, eventsDto, toRequest } from './dto.ts'
import { toEventJson } from './event.ts'
import { eventExamples as examples } from './examples.ts'
import type { readEvents } from './read-events.ts'

export interface EventVerbs {
  readEvents: ReturnType<typeof readEvents>
}

const EVENTS = `
Your events, the oldest first: what became of payments, announcements and devices. Each is stored in the same commit as its
fact. Whoever sends the \`next\` of each answer as the next \`after\` gets every event exactly once, and misses none.

| Type | When | \`data\` |
|---|---|---|
| \`payment.recorded\` | a new payment is on disk | \`id\`, \`ftCode\`, \`traceTransfer\`, \`terminalID\`, \`storeId\`, \`bankCode\`, \`billNumber\`, \`transactionAmount\`, \`payDate\`, \`receivedAt\`, \`outcome\` |
| \`bill.paid\` | a payment pays its bill | \`storeId\`, \`billNumber\`, \`transactionAmount\`, \`paymentId\` |
| \`announcement.played\`, \`.delivered\`, \`.missed\`, \`.failed\`, \`.suppressed\` | a speaker has said it; a speaker of another maker has it, and does not say whether it has sounded; its time is over; it could not say it; it was locked | \`paymentId\`, \`ftCode\`, \`traceTransfer\`, \`storeId\`, \`terminalID\`, \`transactionAmount\`, \`deviceSerial\`, \`n\`, \`reason\`, \`times\` |
| \`device.registered\` | | \`deviceSerial\`, \`storeId\` |
| \`device.unregistered\`, \`device.locked\`, \`device.unlocked\` | also when the operator takes the device away | \`deviceSerial\` |
| \`device.online\`, \`device.offline\` | offline after 60 s away; a device that is back within that time makes none | \`deviceSerial\`, \`lastSeenAt\` |
| \`device.battery_low\` | below 15 %, and again only after it was above 25 % | \`deviceSerial\`, \`battery\` |
| \`settings.applied\` | a device reports other settings than before | \`deviceSerial\`, \`ver\`, \`volume\`, \`lang\` |
| \`amount.keyed\` | somebody has keyed in an amount at a device, for which the hub makes no bill itself: answer with \`dynamic-qr\` of that amount and one of its stores | \`deviceSerial\`, \`storeIds\`, \`transactionAmount\`, \`keyedId\`, \`expiresAt\` |
| \`webhook.test\` | you asked for it | \`webhookId\` |

Events are kept for 30 days, unless the operator has set another time. When events behind \`after\` were deleted, the
response is 410 \`41000\`, and \`details\` names the oldest seq that is kept. With \`types\`, an answer may be empty although more
follow: go on with \`next\`. At most 20 requests of yours wait at a time: more are answered at once.
`.trim()

/** GET /partner/event */
export function eventRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: EventVerbs) {
  endpoint(app, guards.partner, {
    route: ['get', '/partner/event'],
    tag: 'Partner Event',
    operationId: 'readEvents',
    summary: 'Read events',
    description: [EVENTS],
    query: eventQuery,
    answer: eventsDto,
    answered: 'The next events.',
    errors: ['EVENTS_GONE'],
    examples: examples.readEvents,
    async handle({ c, clientId, query }) {
      const { events, next } = await verbs.readEvents(clientId, toRequest(query), (ms) => guards.rests(c, ms))
      return { data: events.map(toEventJson), next: String(next) }
    },
  })
}
