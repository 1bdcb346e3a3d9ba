import type { PacketNote } from '../../speaker/connection/packets.ts'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import type { FeedItem } from '../../speaker/feed.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import type { HeadlessLine } from './lines.ts'

export interface HeadlessOptions {
  /** Print every MQTT packet, too. */
  packets?: boolean
  /** Add `at` to each line: ISO 8601 in UTC with milliseconds. */
  timestamps?: boolean
}

/** A line before it becomes JSON, which omits undefined fields. lines.ts defines the fields. */
export type Line = SpeakerEvent | ({ event: OtherEvent } & Record<string, unknown>)
type OtherEvent = Exclude<HeadlessLine['event'], SpeakerEvent['event']>

/** Prints one line with the options of this run. */
export type PrintLine<L = Line> = (line: L, atMs: number) => void

/** Creates a printer of JSON lines with `event` first, and then what all lines have in common. */
export function linePrinter<L extends { event: string } = Line>(
  write: (line: string) => void,
  { timestamps = false }: HeadlessOptions,
  common: Record<string, unknown> = {},
): PrintLine<L> {
  return (line, atMs) => {
    const at = timestamps ? { at: new Date(atMs).toISOString() } : {}
    const { event, ...rest } = line
    write(`${JSON.stringify({ event, ...at, ...common, ...rest })}\n`)
  }
}

/**
 * The speaker without a screen: prints each event unchanged as a line of JSON, for scripts and tests; see the table in
 * README.md. Returns a function that ends it.
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
  // The frame comes last: it is long and would hide the fields after it.
  return { event: 'packet', direction, packet, topic, type: t, ...rest, bytes, frame }
}
