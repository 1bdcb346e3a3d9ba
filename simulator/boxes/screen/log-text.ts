import { formatAmount } from '../../../protocol/money/amount.ts'
import { timeOfDay } from '../../screen/drawing/clock-text.ts'
import { printable } from '../../screen/drawing/text.ts'
import type { BoxItem } from '../box.ts'
import { fieldsOf } from '../core/json.ts'
import type { BoxLine } from '../core/lines.ts'
import type { BoxPacket } from '../line/session.ts'

/** An item as a line of the log; undefined for packets that carry nothing. */
export function logLine(item: BoxItem): string | undefined {
  const text = item.kind === 'event' ? `• ${describeBoxEvent(item.event)}` : packetText(item.packet)
  return text === undefined ? undefined : printable(`${timeOfDay(item.atMs, true)} ${text}`)
}

function packetText(packet: BoxPacket): string | undefined {
  const sign = packet.direction === 'in' ? '←' : '→'
  const { packet: name, direction } = packet
  // Its own PUBACK is what the hub knows of a payment; those of the hub would only fill a small terminal.
  if (name === 'pingreq' || name === 'pingresp' || (name === 'puback' && direction === 'in')) return undefined
  if (packet.topic === undefined) return `${sign} ${packet.packet}`
  const payload = packet.payload ?? ''
  const fields = fieldsOf(payload)
  const topic = packet.topic.split('/').at(-1) ?? ''
  if (!fields) return `${sign} ${topic} ${payload}`
  // Hemipay names the kind of a message, and has one topic each way for all of them.
  const { packet_type, content, ...rest } = fields
  if (typeof packet_type !== 'string') return `${sign} ${topic} ${shortFields(fields)}`
  return `${sign} ${packet_type} ${shortFields({ ...rest, ...Object(content) })}`.trimEnd()
}

/** The same in every message, and it would hide the rest. */
const ENVELOPE = new Set(['message_id', 're_request_id', 'time_stamp', 'device_sn', 'method', 'version'])

/** The fields of a payload without its envelope and its quotes. */
function shortFields(fields: Record<string, unknown>): string {
  const own = Object.entries(fields).filter(([name]) => !ENVELOPE.has(name))
  return JSON.stringify(Object.fromEntries(own)).replaceAll('"', '').slice(1, -1)
}

/** An event in a few words. */
export function describeBoxEvent(event: BoxLine): string {
  switch (event.event) {
    case 'power':
      return event.on ? 'switched on' : 'power cut'
    case 'fault':
      return `${event.fault}: ${event.on ? 'on' : 'off'}`
    case 'connected':
      return 'connected'
    case 'disconnected':
      return `disconnected: ${event.reason}`
    case 'offline':
      return `${event.reason}; next try in ${Math.ceil(event.retryInMs / 1000)} s`
    case 'refused':
      return event.reason
    case 'home':
      return `home screen: ${event.lines.join(' / ')}`
    case 'code':
      return `${{ screen: 'shows', spoken: 'speaks', qr: 'shows as a QR' }[event.how]} the code ${event.code}`
    case 'qr':
      return `shows a QR${event.amount === undefined ? '' : `: ${formatAmount(event.amount)}`}${event.bill && `, bill ${event.bill}`}`
    case 'cleared':
      return `${event.what === 'qr' ? 'QR' : 'code'} gone: ${event.why}`
    case 'announce':
      return `speaks: ${event.text}`
    case 'played':
      return `played #${event.n}`
    case 'keyed':
      return `asks for a bill of ${formatAmount(event.amount)}`
    case 'answered':
      return event.ok ? 'the hub prepares the bill' : 'the hub makes no bill'
    case 'repeat':
      return `repeat of ${event.id}`
    case 'dropped':
      return event.reason === 'busy' ? 'drops a message: it speaks' : 'drops a message: its queue is full'
    case 'ignored':
      return `ignores: ${event.reason}`
  }
}
