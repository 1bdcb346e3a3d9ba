import { z } from 'zod'
import { packetNote, snapshot, speakerEvent } from '../headless/lines.ts'

/**
 * A transcript is text, one JSON object a line: a header, then what happened (`happening`, `packet`) and what was to
 * be seen (`seen`: the fields of the snapshot that changed; null is a field that is there no more), each with the
 * speaker's clock in milliseconds since the epoch; `end` stands last when the session was closed in order.
 */
export const VERSION = 1

/** What a recording stops at, and the most that a replay reads: days of a shop's work, and still read in seconds. */
export const MOST_BYTES = 64 * 1024 * 1024
/** Room for a packet whose frame is escaped throughout. */
export const LONGEST_LINE = 32 * 1024
/** The payload of a packet has 2 KiB at most where both sides keep to the protocol; no other text is longer. */
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

/** A whole snapshot, as the lines `seen` add up to it: what is not there is undefined. */
export const wholeSnapshot = snapshot.transform((read) => ({
  ...read,
  retryInMs: read.retryInMs,
  sounding: read.sounding,
}))
