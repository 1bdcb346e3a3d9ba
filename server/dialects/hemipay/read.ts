import { AMOUNT_PATTERN } from '../../../protocol/money/amount.ts'
import type { Heard, PublishedPacket } from '../../delivery/dialect.ts'
import type { CommandKind } from '../../delivery/session/command.ts'
import type { Outgoing } from '../../delivery/session/ports.ts'
import { dBm, objectOf, percent, readObject, shortText } from '../profile/read.ts'

/** A command that was sent in this session. */
export interface Sent {
  commandId: string
  commandNumber: number
  kind: CommandKind
}

interface Reader {
  /** The values that this firmware reports at the end of the sound. */
  played: readonly string[]
  /** The command with this `message_id`. */
  sent(messageId: string): Sent | undefined
  /** An answer with the box's own `message_id`, or a new one. */
  answer(type: string, ids: { messageId?: string; re_request_id?: string }, status: string): Outgoing
}

interface Message {
  messageId: string | undefined
  type: string
  content: Record<string, unknown>
  /** `play_status` or `response_status`. */
  status: string | undefined
}

/** The statuses with which a box accepts a command. Any other one says nothing that is sure. */
const ACCEPTED = ['success', 'ok', 'accepted', 'duplicate']

/** Reads what a box publishes, on whatever topic. */
export function hear(reader: Reader, packet: PublishedPacket): Heard {
  const object = readObject(packet)
  if (object === undefined) return { kind: 'ignored', why: 'it is not a JSON object' }
  const message = messageOf(object)
  if (object.shutdown || message.type === 'shutdown') return { kind: 'gone' }
  const heartbeat = shortText(object.re_request_id)
  if (heartbeat !== undefined) {
    const answer = reader.answer('rsp_heartbeat', { re_request_id: heartbeat }, 'success')
    return { ...(telemetryOf(message) ?? { kind: 'ignored' }), answers: [answer] }
  }
  if (message.type === 'request_payment') return hearKeys(reader, message)
  if (message.status !== undefined || message.type.startsWith('rsp_')) return hearAnswer(reader, message)
  return telemetryOf(message) ?? { kind: 'ignored', why: 'its packet_type is not known' }
}

function messageOf({ message_id, packet_type, content }: Record<string, unknown>): Message {
  const fields = objectOf(content) ?? {}
  const { play_status, response_status } = fields
  return {
    messageId: shortText(message_id),
    type: shortText(packet_type) ?? '',
    content: fields,
    status: shortText(play_status) ?? shortText(response_status),
  }
}

/**
 * A box that keys in an amount waits for an answer with its own `message_id`, and then for a wait screen. An amount that
 * is no whole number of đồng is refused.
 */
function hearKeys({ answer }: Reader, { messageId, content }: Message): Heard {
  if (messageId === undefined) return { kind: 'ignored', why: 'a request_payment has no message_id' }
  const amount = keyedAmount(content.amount_due)
  if (amount !== undefined)
    return {
      kind: 'keyed',
      requestId: messageId,
      amount,
      answers: [answer('rsp_request_payment', { messageId }, 'success')],
    }
  const why = 'a request_payment has an amount that is no whole number of dong'
  return { kind: 'ignored', why, answers: [answer('rsp_request_payment', { messageId }, 'fail')] }
}

/** Boxes send 50000, "50000" or "50000.00". */
function keyedAmount(value: unknown): string | undefined {
  const text = shortText(value)?.replace(/\.0{1,2}$/, '')
  return text !== undefined && AMOUNT_PATTERN.test(text) ? text : undefined
}

/** An answer changes only the command with its `message_id`. Whatever else it may mean is a guess. */
function hearAnswer({ sent, played }: Reader, { messageId, type, status }: Message): Heard {
  const command = messageId === undefined ? undefined : sent(messageId)
  if (command === undefined) return { kind: 'ignored', why: 'an answer to an unknown message_id' }
  const { commandId, commandNumber, kind } = command
  const reached = { commandId, commandNumber, reason: undefined }
  if (kind === 'announce' && status !== undefined && played.includes(status))
    return { kind: 'reached', ack: { ...reached, stage: 'played', proof: 'played' } }
  if (!type.startsWith('rsp_') || (status !== undefined && !ACCEPTED.includes(status)))
    return { kind: 'ignored', why: 'an answer with a status that is not known' }
  if (kind !== 'announce') return { kind: 'reached', ack: { ...reached, stage: 'shown' } }
  const stage = played.length > 0 ? 'received' : 'delivered'
  return { kind: 'reached', ack: { ...reached, stage, proof: 'accepted' } }
}

function telemetryOf({ content }: Message): Heard | undefined {
  const battery = percent(content.battery_percent)
  const signal = dBm(content.signal_value) ?? dBm(content.wifi_signal)
  if (battery === undefined && signal === undefined) return undefined
  return { kind: 'telemetry', readings: { battery, signal }, update: undefined }
}
