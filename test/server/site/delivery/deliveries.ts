import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import {
  type AnnouncementFacts,
  type PartnerEvent,
  toEventJson,
  toEvents,
} from '../../../../server/events/event.ts'
import type { PastedDelivery } from '../../../../server/site/browser/delivery/read.ts'
import { webhookHeaders } from '../../../../server/webhooks/sign.ts'

export const NOW = Date.parse('2026-11-23T06:00:00Z')
export const secretOf = (byte: number, size = 32) => `whsec_${Buffer.alloc(size, byte).toString('base64')}`
export const secret = secretOf(7)
export const other = secretOf(8)

const payment = {
  ...{ id: '0197', ftCode: 'FT1', traceTransfer: '9', terminalID: 'TILL/1', storeId: 's1', bankCode: 'MB' },
  ...{
    billNumber: 'Trà <sữa> & bánh',
    amount: '50000',
    paidAt: NOW,
    receivedAt: NOW,
    outcome: 'bill_paid' as const,
  },
}
const times = { queued: NOW - 3, sent: NOW - 2, received: NOW - 1, played: NOW }
const subjects = {
  payments: new Map([[1, payment]]),
  announcements: new Map<number, AnnouncementFacts>([
    [1, { payment, deviceSerial: 'SHOP-1', n: 7, reason: undefined, times }],
    [2, { payment, deviceSerial: 'SHOP-1', n: 8, reason: 'busy', times: { queued: NOW - 3, failed: NOW } }],
  ]),
}
const device = (type: PartnerEvent['type'], data: object) => ({
  seq: 5,
  at: NOW,
  type,
  subject: null,
  data: JSON.stringify(data),
})
/** One event of each kind of data. */
export const EVENTS = toEvents(
  'sbc_1',
  [
    ...(['payment.recorded', 'bill.paid', 'announcement.played'] as const).map((type) => ({
      ...{ seq: 4, at: NOW, type, subject: 1, data: null },
    })),
    { seq: 4, at: NOW, type: 'announcement.failed', subject: 2, data: null },
    device('device.registered', { deviceSerial: 'S', storeId: 's1' }),
    device('device.offline', { deviceSerial: 'S', lastSeenAt: null }),
    device('device.battery_low', { deviceSerial: 'S', battery: 14 }),
    device('settings.applied', { deviceSerial: 'S', ver: 2, volume: 60, lang: 'vi' }),
    device('webhook.test', { webhookId: 'wh_1' }),
  ],
  subjects,
)
const [event] = EVENTS
if (!event) throw new Error('there is no event')
export const eventId = event.id
export const eventBody = JSON.stringify(toEventJson(event))

/** A delivery that the hub has signed, with changes by which it has come to the reader. */
export function delivery(
  changes: PastedDelivery = {},
  secrets = [secret],
  sent = { id: eventId, at: NOW, body: eventBody },
) {
  const headers = webhookHeaders(secrets, sent)
  return {
    ...{ id: headers['webhook-id'], timestamp: headers['webhook-timestamp'] },
    ...{ signature: headers['webhook-signature'], body: sent.body },
    ...changes,
  }
}

/** What the library of Standard Webhooks says. It knows only the machine's clock. */
export function isAccepted(
  { id = '', timestamp = '', signature = '', body = '' }: PastedDelivery,
  by: string,
): boolean {
  try {
    new Webhook(by).verify(body, {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    })
    return true
  } catch {
    return false
  }
}

export const mac = (content: string, key: string | Buffer) =>
  createHmac('sha256', key).update(content).digest()
export const key = Buffer.alloc(32, 7)
