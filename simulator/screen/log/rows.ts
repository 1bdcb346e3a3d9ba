import type { PacketNote } from '../../speaker/connection/packets.ts'
import type { FeedItem } from '../../speaker/feed.ts'
import { describeEvent } from './event-text.ts'

/** One row of the log. `mark` tells packets out, packets in, and happenings apart without colour. */
export type LogRow = { atMs: number } & (
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

/** What the log shows. */
export const FILTERS = ['all', 'packets', 'events'] as const
export type Filter = (typeof FILTERS)[number]

/** Packets that say nothing about the speaker: the pulse of the line, and what MQTT answers by itself. */
const HIDDEN_PACKETS = new Set(['pingreq', 'pingresp', 'puback'])

/** A feed item as a row of the log; undefined for what is not worth one, or not asked for. */
export function logRow(item: FeedItem, filter: Filter = 'all'): LogRow | undefined {
  switch (item.kind) {
    case 'event':
      if (filter === 'packets') return undefined
      return { atMs: item.atMs, kind: 'event', mark: '•', text: describeEvent(item.event) }
    case 'packet':
      if (filter === 'events' || HIDDEN_PACKETS.has(item.note.packet)) return undefined
      return { atMs: item.atMs, kind: 'packet', ...describePacket(item.note) }
  }
}

/** The time of day, as the clock on the wall shows it; `short` leaves the hours out. */
export function timeOfDay(atMs: number, short = false): string {
  const at = new Date(atMs)
  return [...(short ? [] : [at.getHours()]), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

function describePacket({ direction, packet, message }: PacketNote) {
  const mark = direction === 'out' ? ('→' as const) : ('←' as const)
  if (!message) return { mark, type: packet.toUpperCase(), n: undefined, outcome: '', bytes: undefined }
  const { topic, t, n, stage, rc, dup, bytes } = message
  const outcome = [stage, rc, dup ? 'dup' : undefined].filter((part) => part !== undefined).join(' ')
  return { mark, type: topic === 'down' ? (t ?? 'unreadable') : topic, n, outcome, bytes }
}
