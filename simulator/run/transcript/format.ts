import { z } from 'zod'
import { packetNote, snapshot, speakerEvent } from '../headless/lines.ts'

/**
 * A transcript is text, one JSON object per line: a header; then events (`happening`), packets (`packet`) and changes
 * of the snapshot (`seen`: changed fields, null for removed ones), each with the speaker's clock in milliseconds since
 * the epoch; and `end`, when the session was closed in order.
 */
export const VERSION = 1

/** The largest transcript to write and to read: days of a shop's work, and still read in seconds. */
export const MOST_BYTES = 64 * 1024 * 1024
/** Allows for a packet whose frame is escaped throughout. */
export const LONGEST_LINE = 32 * 1024
/** The longest text is a payload; the protocol limits it to 2 KiB. */
export const LONGEST_TEXT = 4_096

const atMs = z.number().min(0).max(8.64e15)

export const header = z.object({
  transcript: z.literal(VERSION),
  serial: z.string(),
  /** The version of the program that wrote it. */
  program: z.string(),
  startedAtMs: atMs,
})
export type Header = z.infer<typeof header>

export const line = z.discriminatedUnion('kind', [
  z.object({ atMs, kind: z.literal('happening'), happening: speakerEvent }),
  z.object({ atMs, kind: z.literal('packet'), note: packetNote }),
  z.object({ atMs, kind: z.literal('seen'), seen: z.record(z.string(), z.unknown()) }),
  z.object({ atMs, kind: z.literal('end') }),
])
export type Line = z.infer<typeof line>

/** A complete snapshot, merged from `seen` lines; missing fields are undefined. */
export const wholeSnapshot = snapshot.transform((read) => ({
  ...read,
  retryInMs: read.retryInMs,
  sounding: read.sounding,
}))
