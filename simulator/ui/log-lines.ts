import type { PacketNote } from '../connection/packets.ts'
import type { Happening } from '../device/happenings.ts'
import type { FeedItem } from '../feed.ts'
import { formatAmount } from './money.ts'

/** One line of the log. `mark` tells packets out, packets in, and happenings apart without colour. */
export interface LogLine {
  atMs: number
  mark: '→' | '←' | '•'
  text: string
}

/** Packets that say nothing about the speaker: the pulse of the line, and what MQTT answers by itself. */
const HUSHED = new Set(['pingreq', 'pingresp', 'puback'])

/** A feed item as a line of the log; undefined for what is not worth one. */
export function logLine(item: FeedItem): LogLine | undefined {
  switch (item.kind) {
    case 'happening':
      return { atMs: item.atMs, mark: '•', text: describeHappening(item.happening) }
    case 'packet':
      if (HUSHED.has(item.note.packet)) return undefined
      return {
        atMs: item.atMs,
        mark: item.note.direction === 'out' ? '→' : '←',
        text: describePacket(item.note),
      }
  }
}

/** The line's time of day, as the clock on the wall shows it. */
export function timeOfDay(atMs: number): string {
  const at = new Date(atMs)
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

function describePacket({ packet, message }: PacketNote): string {
  if (!message) return packet.toUpperCase()
  const { topic, t, n, stage, rc, dup, bytes } = message
  const what = topic === 'down' ? (t ?? 'unreadable') : topic
  return [what, n === undefined ? '' : `#${n}`, stage ?? '', rc ?? '', dup ? 'dup' : '', `${bytes} B`]
    .filter((part) => part !== '')
    .join(' ')
}

function describeHappening(happening: Happening): string {
  switch (happening.event) {
    case 'power':
      return happening.on ? 'switched on' : 'power cut'
    case 'fault':
      return `${happening.fault}: ${happening.on ? 'on' : 'off'}`
    case 'connected':
      return happening.linked ? 'connected' : 'connected; not registered with a shop'
    case 'disconnected':
      return `disconnected: ${happening.reason}`
    case 'vitals':
      return `battery ${happening.battery} %, signal ${happening.signal} dBm`
    case 'offline':
    case 'refused':
      return `${happening.reason}; ${describeRetry(happening.retryInMs)}`
    case 'profile':
      return happening.name === '' ? 'no shop' : `shop: ${happening.name}`
    case 'code':
      return `shows the code ${happening.code}`
    case 'qr':
      return `shows a QR: ${formatAmount(happening.amount)}, bill ${happening.bill}`
    case 'cleared':
      return `${happening.what === 'qr' ? 'QR' : 'code'} gone: ${CLEARED[happening.why]}`
    case 'announce':
      return `speaks: ${happening.text}`
    case 'played':
      return `played #${happening.n}`
    case 'paid':
      return `bill ${happening.bill} is paid: ${formatAmount(happening.amount)}`
    case 'missed':
      return `missed: ${happening.count}, ${formatAmount(happening.amount)}`
    case 'identify':
      return 'beeps'
    case 'settings':
      return `settings ${happening.ver}: volume ${happening.volume}, ${happening.lang}`
    case 'failed':
      return `can't: ${happening.t} #${happening.n} (${happening.rc})`
    case 'repeat':
      return `repeat of ${happening.t} #${happening.n}, already ${happening.stage}`
    case 'dropped':
      return `the ack of #${happening.n} (${happening.stage}) does not leave`
    case 'ignored':
      return `ignores a packet (${happening.reason})`
    case 'broken':
      return `broken: ${happening.reason}`
    case 'recorded':
      return `#${happening.n} is recorded: ${happening.file}`
    case 'trouble':
      return happening.reason
  }
}

function describeRetry(retryInMs: number | undefined): string {
  return retryInMs === undefined ? 'gives up' : `next try in ${Math.ceil(retryInMs / 1000)} s`
}

const CLEARED = {
  command: 'the hub says so',
  expired: 'its time is up',
  unlinked: 'no shop any more',
} as const
