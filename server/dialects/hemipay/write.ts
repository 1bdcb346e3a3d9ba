import { toUnixSeconds } from '../../../protocol/messages/fields.ts'
import type { Outgoing, Sending, Written } from '../../delivery/session/ports.ts'
import type { HemipayProfile } from '../profile/schema.ts'
import { firstFitting, isOverLimit, jsonMessage, unwritten } from '../profile/write.ts'
import { messageIdOf } from './message-id.ts'
import { billScreen, codeScreen, idleScreens, missedScreen } from './screens.ts'

/** Whom the messages are for. */
export interface Target {
  topic: string
  serial: string
  profile: HemipayProfile
}

type Content = Record<string, unknown>

/** What surrounds every message, in both directions. */
export function envelope(
  { topic, serial }: Target,
  { id, now, type, ...more }: { id: string; now: number; type: string; re_request_id?: string },
  content: Content,
): Outgoing {
  return jsonMessage(topic, {
    ...more,
    message_id: id,
    time_stamp: String(toUnixSeconds(now)),
    device_sn: serial,
    packet_type: type,
    content,
  })
}

/** Writes one sending. Each sending of a command has the same `message_id`. */
export function writeMessage(target: Target, sending: Sending, now: number, bufferBytes: number): Written {
  const { body } = sending
  const form = formOf(target.profile, sending, now)
  if (form === undefined) return unwritten(body.kind)
  if ('failed' in form) return form
  const id = messageIdOf(sending.id)
  const messages = form.contents.map((content) => envelope(target, { id, now, type: form.type }, content))
  return firstFitting(messages, bufferBytes)
}

/** The `packet_type` and its contents, the largest first. Undefined for what the box has no message for. */
function formOf(
  { screen, silentZero, maxAmount }: HemipayProfile,
  { id, body, expiresAt }: Sending,
  now: number,
): { type: string; contents: Content[] } | { failed: 'over_limit' } | undefined {
  const seconds = Math.max(1, toUnixSeconds(expiresAt) - toUnixSeconds(now))
  const messageId = messageIdOf(id)
  switch (body.kind) {
    case 'announce':
      if (isOverLimit({ maxAmount }, body.amount)) return { failed: 'over_limit' }
      return { type: 'payment', contents: [paymentOf(body.amount, body.paidBill)] }
    case 'qr':
      return screen && { type: 'wait_payment', contents: [billScreen(screen, body, seconds)] }
    case 'code':
      return screen && { type: 'wait_payment', contents: [codeScreen(screen, body.code, messageId, seconds)] }
    case 'clear':
      // Where a payment of 0 may sound, the wait screen ends with its own timeout.
      return screen && silentZero ? { type: 'payment', contents: [paymentOf('0', messageId)] } : undefined
    case 'profile':
      return screen && { type: 'set_device_info', contents: idleScreens(screen, body) }
    case 'missed':
      return screen && { type: 'set_device_info', contents: [missedScreen(screen, body)] }
    case 'welcome':
    case 'settings':
    case 'identify':
    case 'rekey':
    case 'update':
      return undefined
  }
}

/** `order_id` closes the wait screen of that bill. 13 digits are exact in a JSON number. */
function paymentOf(amount: string, orderId: string): Content {
  return { play_payment_amount: Number(amount), ...(orderId === '' ? {} : { order_id: orderId }) }
}
