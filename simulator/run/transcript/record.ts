import { type Clock, systemClock } from '../../platform/clock.ts'
import { errorCode, messageOf } from '../../platform/error-text.ts'
import { CannotStart } from '../../platform/errors.ts'
import type { FeedItem } from '../../speaker/feed.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { openTranscript, type TranscriptFile } from './file.ts'
import { type Header, LONGEST_LINE, LONGEST_TEXT, VERSION } from './format.ts'

/** Often enough to show each word as it is spoken; unchanged snapshots are not written. */
const POLL_MS = 100
/** Reserved for the last line. */
const END_BYTES = 100

export interface RecordOptions {
  path: string
  /** The version of this program. */
  program: string
  clock?: Clock
  /** Creates the file; on disk by default. */
  open?: (path: string) => TranscriptFile
}

/**
 * Records a session until the returned function is called. Throws `CannotStart` when the file can't be created. Reports
 * a later write error once on the speaker's feed, and keeps recording.
 */
export function recordTranscript(
  speaker: Pick<Speaker, 'serial' | 'subscribe' | 'snapshot' | 'note'>,
  { path, program, clock = systemClock, open = openTranscript }: RecordOptions,
): () => void {
  const startedAtMs = clock.now()
  const header: Header = { transcript: VERSION, serial: speaker.serial, program, startedAtMs }
  let file: TranscriptFile
  try {
    file = open(path)
    file.append(`${JSON.stringify(header)}\n`)
  } catch (error) {
    throw new CannotStart(`--transcript: ${createError(error, path)}`)
  }
  return new Recording(speaker, file, clock).start()
}

class Recording {
  readonly #speaker: Pick<Speaker, 'subscribe' | 'snapshot' | 'note'>
  readonly #file: TranscriptFile
  readonly #clock: Clock
  /** The snapshot in the file so far; undefined when the next line must be complete. */
  #seen: SnapshotFields | undefined
  #gapReported = false
  #full = false
  #cancelPoll = () => {}

  constructor(speaker: Pick<Speaker, 'subscribe' | 'snapshot' | 'note'>, file: TranscriptFile, clock: Clock) {
    this.#speaker = speaker
    this.#file = file
    this.#clock = clock
  }

  start(): () => void {
    this.#poll()
    const end = this.#speaker.subscribe((item) => this.#write([lineOf(item), ...this.#change()]))
    return () => {
      end()
      this.#cancelPoll()
      this.#write([...this.#change(), this.#end().trimEnd()])
      this.#file.close()
    }
  }

  #poll(): void {
    const change = this.#change()
    if (change.length > 0) this.#write(change)
    this.#cancelPoll = this.#clock.wakeAt(this.#clock.now() + POLL_MS, () => this.#poll())
  }

  /** The line with the changed fields of the snapshot; none without changes. */
  #change(): string[] {
    const seen = fieldsOf(this.#speaker.snapshot())
    const changed = changesBetween(this.#seen, seen)
    if (Object.keys(changed).length === 0) return []
    this.#seen = seen
    return [JSON.stringify({ atMs: this.#clock.now(), kind: 'seen', seen: changed })]
  }

  #write(lines: string[]): void {
    if (this.#full) return
    try {
      if (lines.some((line) => line.length > LONGEST_LINE)) throw new Error('a line is too long')
      const text = lines.map((line) => `${line}\n`).join('')
      this.#full = this.#file.isFull(Buffer.byteLength(text) + END_BYTES)
      this.#file.append(this.#full ? this.#end() : text)
      if (this.#full) this.#reportGap('the transcript has reached its size limit and ends here')
    } catch (error) {
      this.#reportGap(`the transcript has a gap: ${messageOf(error)}`)
    }
  }

  #end(): string {
    return `${JSON.stringify({ atMs: this.#clock.now(), kind: 'end' })}\n`
  }

  /** Reports a gap once, in a later microtask, because the report itself becomes a line. */
  #reportGap(reason: string): void {
    this.#seen = undefined
    if (this.#gapReported) return
    this.#gapReported = true
    queueMicrotask(() => this.#speaker.note({ event: 'trouble', with: 'transcript', reason }))
  }
}

/** A snapshot's fields as JSON, to compare and write. */
type SnapshotFields = ReadonlyMap<string, string>

/** Rounds the countdown to whole seconds, as the screen shows it. */
function fieldsOf(snapshot: SpeakerSnapshot): SnapshotFields {
  const { retryInMs } = snapshot
  const shown = retryInMs === undefined ? undefined : Math.ceil(retryInMs / 1000) * 1000
  const fields = Object.entries({ ...snapshot, retryInMs: shown })
  return new Map(
    fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, JSON.stringify(value)]])),
  )
}

function changesBetween(before: SnapshotFields = new Map(), now: SnapshotFields): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const [name, value] of now) if (before.get(name) !== value) changed[name] = JSON.parse(value)
  for (const name of before.keys()) if (!now.has(name)) changed[name] = null
  return changed
}

function lineOf(item: FeedItem): string {
  if (item.kind === 'event')
    return JSON.stringify({ atMs: item.atMs, kind: 'happening', happening: item.event })
  const { message } = item.note
  if (!message) return JSON.stringify(item)
  const frame = message.frame.slice(0, LONGEST_TEXT)
  return JSON.stringify({ ...item, note: { ...item.note, message: { ...message, frame } } })
}

function createError(error: unknown, path: string): string {
  if (errorCode(error) === 'EEXIST')
    return `${path} already exists: choose another name, because nothing is overwritten.`
  return `${path} can't be written: ${messageOf(error)}`
}
