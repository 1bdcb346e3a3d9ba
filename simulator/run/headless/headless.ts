import type { PacketNote } from '../../speaker/connection/packets.ts'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import type { FeedItem } from '../../speaker/feed.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import type { HeadlessLine } from './lines.ts'

export interface HeadlessOptions {
  /** Whether every MQTT packet is a line too. */
  packets?: boolean
  /** Whether each line says when: `at`, ISO 8601 in UTC, to the millisecond. */
  timestamps?: boolean
}

/** A line before it is JSON; what is undefined is left out. Its fields are those of lines.ts. */
export type Line = SpeakerEvent | ({ event: OtherEvent } & Record<string, unknown>)
type OtherEvent = Exclude<HeadlessLine['event'], SpeakerEvent['event']>

/** Prints one line, in the manner of this run. */
export type PrintLine = (line: Line, atMs: number) => void

/** Writes lines of JSON, `event` first. */
export function linePrinter(
  write: (line: string) => void,
  { timestamps = false }: HeadlessOptions,
): PrintLine {
  return (line, atMs) => {
    const at = timestamps ? { at: new Date(atMs).toISOString() } : {}
    const { event, ...rest } = line
    write(`${JSON.stringify({ event, ...at, ...rest })}\n`)
  }
}

/**
 * The speaker without a screen: each happening as one line of JSON, for scripts and tests. The lines are
 * the happenings themselves; see the table in README.md. Returns what ends it.
 */
export function runHeadless(
  speaker: Pick<Speaker, 'subscribe'>,
  print: PrintLine,
  options: HeadlessOptions = {},
): () => void {
  return speaker.subscribe((item) => {
    const line = lineOf(item, options)
    if (line) print(line, item.atMs)
  })
}

function lineOf(item: FeedItem, { packets = false }: HeadlessOptions): Line | undefined {
  switch (item.kind) {
    case 'event':
      return item.event
    case 'packet':
      return packets ? packetLineOf(item.note) : undefined
  }
}

function packetLineOf({ direction, packet, message }: PacketNote): Line {
  const { topic, t, bytes, frame, ...rest } = message ?? {}
  // The frame at the end: it is long, and what is behind it is not found again.
  return { event: 'packet', direction, packet, topic, type: t, ...rest, bytes, frame }
}
