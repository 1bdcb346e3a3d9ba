import { Text } from 'ink'
import type { FeedItem } from '../../speaker/feed.ts'
import type { Area } from '../drawing/area.ts'
import { timeOfDay } from '../drawing/clock-text.ts'
import { Framed } from '../drawing/framed.tsx'
import { Lines } from '../drawing/lines.tsx'
import { cellsOf } from '../drawing/text.ts'
import { frameLines } from './frame-lines.ts'
import { type FrameChoice, framedPackets, type PacketItem } from './frames.ts'

interface Props {
  area: Area
  log: readonly FeedItem[]
  choice: FrameChoice
}

/** The frame of one packet: its fields, and below them the text as sent. */
export function FrameView({ area, log, choice }: Props) {
  const packets = framedPackets(log)
  const packet = choice.packet ?? packets.at(-1)
  if (!packet) return <NoPackets area={area} />
  const rows = framePage(packet, choice.scroll, area)
  const place = packets.indexOf(packet) + 1
  const count = place > 0 ? `${place} of ${packets.length}` : 'out of the log'
  return (
    <Framed
      area={area}
      top={{
        left: (
          <Text bold wrap="truncate">
            {titleIn(packet, area)}
          </Text>
        ),
      }}
      bottom={{
        left: <Text wrap="truncate">{count}</Text>,
        right: rows.more ? <Text>{`rows ${rows.more}`}</Text> : undefined,
      }}
    >
      <Lines rows={rows.shown} />
    </Framed>
  )
}

/** The largest scroll position of a frame in this area, in rows. */
export function furthestScroll(packet: PacketItem, area: Area): number {
  return Math.max(0, linesIn(packet, area).length - roomIn(area))
}

function framePage(packet: PacketItem, scroll: number, area: Area) {
  const lines = linesIn(packet, area)
  const room = roomIn(area)
  const from = Math.min(scroll, Math.max(0, lines.length - room))
  const shown = lines.slice(from, from + room)
  return {
    shown,
    more: lines.length > room ? `${from + 1} to ${from + shown.length} of ${lines.length}` : undefined,
  }
}

function linesIn(packet: PacketItem, { columns }: Area): string[] {
  return frameLines(packet.note.message?.frame ?? '', columns - 4)
}

function roomIn({ rows }: Area): number {
  return rows - 2
}

/** Columns of corners and spaces in the frame's edge. */
const EDGE_COLUMNS = 6

/** Includes the hours if they fit. */
function titleIn(packet: PacketItem, { columns }: Area): string {
  const title = titleOf(packet, false)
  return cellsOf(title) <= columns - EDGE_COLUMNS ? title : titleOf(packet, true)
}

function titleOf({ atMs, note: { direction, message } }: PacketItem, short: boolean): string {
  const { topic, t, n, bytes } = message ?? { topic: '', bytes: 0 }
  const what = topic === 'down' ? (t ?? 'unreadable') : topic
  const number = n === undefined ? '' : ` #${n}`
  return `${direction === 'out' ? '→' : '←'} ${what}${number} · ${bytes} B · ${timeOfDay(atMs, short)}`
}

function NoPackets({ area }: { area: Area }) {
  return (
    <Framed area={area} top={{ left: <Text bold>frame</Text> }}>
      <Text>No packet with a frame has passed yet.</Text>
    </Framed>
  )
}
