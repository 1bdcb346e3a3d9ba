import type { PacketNote } from '../../speaker/connection/packets.ts'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import type { FeedItem } from '../../speaker/feed.ts'
import { printable } from '../drawing/text.ts'
import type { Meaning } from '../drawing/theme.ts'
import { describeEvent } from './event-text.ts'

/** One row of the log. `mark` distinguishes sent packets, received packets and events without colour. */
export type LogRow = {
  atMs: number
  /** What it means: money, a failure, or something that the shop must see. */
  meaning: Meaning
  /** It only reports battery and signal: there are many of them. */
  isTelemetry: boolean
} & (
  | { kind: 'event'; mark: '•'; text: string }
  | {
      kind: 'packet'
      mark: '→' | '←'
      type: string
      n: number | undefined
      outcome: string
      bytes: number | undefined
    }
)

/** The filters of the log. */
export const FILTERS = ['all', 'packets', 'events'] as const
export type Filter = (typeof FILTERS)[number]

/** Packets without information about the speaker: keepalive, and MQTT's own acknowledgements. */
const HIDDEN_PACKETS = new Set(['pingreq', 'pingresp', 'puback'])

/** A feed item as a row of the log; undefined for items that are hidden or filtered out. */
export function logRow(item: FeedItem, filter: Filter = 'all'): LogRow | undefined {
  switch (item.kind) {
    case 'event':
      if (filter === 'packets') return undefined
      return {
        ...{ atMs: item.atMs, kind: 'event', mark: '•', text: describeEvent(item.event) },
        ...{ meaning: eventMeaning(item.event), isTelemetry: item.event.event === 'vitals' },
      }
    case 'packet':
      if (filter === 'events' || HIDDEN_PACKETS.has(item.note.packet)) return undefined
      return { atMs: item.atMs, kind: 'packet', ...describePacket(item.note) }
  }
}

/** The text of a row, as one line: what a search finds and a copy holds. */
export function rowText(row: LogRow): string {
  if (row.kind === 'event') return printable(row.text)
  const { type, n, outcome, bytes } = row
  return printable(
    [type, n === undefined ? '' : `#${n}`, outcome, bytes === undefined ? '' : `${bytes} B`]
      .filter((part) => part !== '')
      .join(' '),
  )
}

function eventMeaning(event: SpeakerEvent): Meaning {
  switch (event.event) {
    case 'announce':
    case 'played':
    case 'paid':
      return 'good'
    case 'disconnected':
    case 'offline':
    case 'refused':
    case 'failed':
    case 'broken':
    case 'trouble':
      return 'bad'
    case 'missed':
    case 'dropped':
    case 'ignored':
      return 'notice'
    case 'fault':
      return event.on ? 'notice' : 'plain'
    case 'power':
      return event.on ? 'plain' : 'bad'
    default:
      return 'plain'
  }
}

function describePacket({ direction, packet, message }: PacketNote) {
  const mark = direction === 'out' ? ('→' as const) : ('←' as const)
  if (!message)
    return {
      ...{ mark, type: packet.toUpperCase(), n: undefined, outcome: '', bytes: undefined },
      ...{ meaning: 'plain' as const, isTelemetry: false },
    }
  const { topic, t, n, stage, rc, dup, bytes } = message
  const outcome = [stage, rc, dup ? 'dup' : undefined].filter((part) => part !== undefined).join(' ')
  return {
    ...{ mark, type: topic === 'down' ? (t ?? 'unreadable') : topic, n, outcome, bytes },
    meaning: stage === 'failed' ? ('bad' as const) : ('plain' as const),
    isTelemetry: topic === 'telemetry',
  }
}
