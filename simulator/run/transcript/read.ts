import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import type { z } from 'zod'
import { fileTrouble } from '../../platform/error-text.ts'
import { CannotStart, WrongUsage } from '../../platform/errors.ts'
import { parseJson } from '../../platform/json.ts'
import type { FeedItem } from '../../speaker/feed.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import { damageText } from './damage.ts'
import {
  type Header,
  header,
  type Line,
  LONGEST_LINE,
  LONGEST_TEXT,
  line,
  MOST_BYTES,
  VERSION,
  wholeSnapshot,
} from './format.ts'
import type { Moment, Transcript } from './transcript.ts'

/** Reads a transcript from its file. Throws `WrongUsage` when it can't be read, `CannotStart` when it is damaged. */
export function readTranscript(path: string): Transcript {
  let text: string
  try {
    text = readText(path)
  } catch (error) {
    throw new WrongUsage(`${path} can't be read: ${fileTrouble(error)}`)
  }
  try {
    return parseTranscript(text)
  } catch (error) {
    if (error instanceof DamagedTranscript) throw new CannotStart(`${path}: ${error.message}`)
    throw error
  }
}

/** The text is not a transcript, or can't be shown; the message says why, and where. */
export class DamagedTranscript extends Error {
  override readonly name = 'DamagedTranscript'
}

/** Parses a transcript. Ignores an incomplete last line, which a killed session leaves behind. */
export function parseTranscript(text: string): Transcript {
  const [first = '', ...lines] = wholeLines(text)
  const { serial, program, startedAtMs } = readHeader(first)
  const moments: Moment[] = []
  let complete = false
  let fields: Record<string, unknown> = {}
  lines.forEach((raw, index) => {
    const read = readLine(raw, index + 2)
    const last = moments.at(-1)
    if (!last && read.kind !== 'seen') throw damagedAt(index + 2, 'the recording must start with a snapshot')
    complete = read.kind === 'end'
    if (read.kind === 'seen') {
      fields = merged(fields, read.seen)
      // Recordings of earlier versions do not say whether it is registered.
      const seen = { linked: fields.shop !== '', ...fields }
      moments.push(momentSeen(read.atMs, last, readSnapshot(seen, index + 2)))
    } else if (last) {
      moments.push({ atMs: read.atMs, item: itemOf(read), snapshot: last.snapshot, eventful: true })
    }
  })
  if (moments.length === 0) throw new DamagedTranscript('this transcript is empty')
  return { serial, program, startedAtMs, moments, complete }
}

function readText(path: string): string {
  const file = openSync(path, 'r')
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new Error('it is not a file')
    const { size } = stats
    if (size > MOST_BYTES) throw new Error(`it has ${size} bytes; a transcript has at most ${MOST_BYTES}`)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** The lines; the text after the last line break counts only if it is complete. */
function wholeLines(text: string): string[] {
  const lines = text.split('\n')
  const rest = lines.pop() ?? ''
  return line.safeParse(parseSafely(rest)).success ? [...lines, rest] : lines
}

function readHeader(raw: string): Header {
  const json = parseSafely(raw)
  const { transcript }: { transcript?: unknown } = Object(json)
  if (transcript === undefined)
    throw new DamagedTranscript('this is not a transcript: its first line is not a header')
  if (transcript !== VERSION) {
    const given = Number.isInteger(transcript) ? `version ${transcript}` : 'an invalid version'
    throw new DamagedTranscript(`this transcript has ${given}; this program reads version ${VERSION}`)
  }
  return accepted(header, json, 1)
}

function readLine(raw: string, number: number) {
  if (raw.length > LONGEST_LINE) throw damagedAt(number, `it is longer than ${LONGEST_LINE} characters`)
  const json = parseSafely(raw)
  if (json === undefined) throw damagedAt(number, notJson(raw))
  return accepted(line, json, number)
}

/** Longer lines are shortened in an error. */
const LONGEST_QUOTE = 30

function notJson(raw: string): string {
  if (raw.trim() === '') return 'it is empty'
  const quote = sanitized(raw.length > LONGEST_QUOTE ? `${raw.slice(0, LONGEST_QUOTE)}…` : raw)
  return `it is not JSON: ${quote}`
}

/** The parsed line; throws with the first thing that is wrong. */
function accepted<T>(schema: z.ZodType<T>, json: unknown, number: number): T {
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  throw damagedAt(number, damageText(parsed.error, json))
}

function itemOf(read: Exclude<Line, { kind: 'seen' }>): FeedItem | undefined {
  switch (read.kind) {
    case 'happening':
      return { atMs: read.atMs, kind: 'event', event: read.happening }
    case 'packet':
      return read
    case 'end':
      return undefined
  }
}

function readSnapshot(fields: Record<string, unknown>, number: number): SpeakerSnapshot {
  return accepted(wholeSnapshot, fields, number)
}

function merged(fields: Record<string, unknown>, change: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries({ ...fields, ...change }).filter(([, value]) => value !== null)
  return Object.fromEntries(entries)
}

function momentSeen(atMs: number, last: Moment | undefined, next: SpeakerSnapshot): Moment {
  const eventful = last === undefined || withoutCountdowns(last.snapshot) !== withoutCountdowns(next)
  return { atMs, item: undefined, snapshot: next, eventful }
}

function withoutCountdowns(seen: SpeakerSnapshot): string {
  const display = { ...seen.display, secondsLeft: undefined }
  return JSON.stringify({ ...seen, retryInMs: undefined, display })
}

function damagedAt(number: number, what: string): DamagedTranscript {
  return new DamagedTranscript(`line ${number} is damaged: ${what}`)
}

/** Reads JSON whose texts are safe to show. */
function parseSafely(text: string): unknown {
  return parseJson(text, (_, value) => (typeof value === 'string' ? sanitized(value) : value))
}

/** Makes foreign text safe to show: shortens it, and replaces the control characters that would steer a terminal. */
function sanitized(text: string): string {
  return text.slice(0, LONGEST_TEXT).replace(/\p{Cc}/gu, '\uFFFD')
}
