import type { SessionVerbs } from '../../operators/manage-sessions.ts'
import type { ConsoleSession } from '../../operators/session.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/log.ts'
import { createLooks } from '../../platform/time/looks.ts'
import type { Html } from '../../site/parts/html.ts'
import type { LineLook, ReadLine } from './look.ts'
import type { EndReason, Message, Part } from './message.ts'

const LOOK_EVERY_MS = 1_000
/** The server closes a connection on which nothing was sent for 30 s. */
const BEAT_EVERY_MS = 15_000
/** Streams of one hub. Each is a connection, and a page that somebody looks at. */
export const MOST_STREAMS = 20
/** Messages that a stream has not sent. More: its reader is gone, or too slow, and may come again. */
const MOST_UNSENT = 16
/** A browser that was cut off comes again after this time. */
const RETRY_MS = 2_000

/** A part of the page, rendered when somebody has to get it. */
export interface Piece {
  id: string
  /** Equal as long as the part has not changed. Ages are no change: the page counts them on. */
  key: string
  html(): Html
}

/** What a page is made of. */
export interface Shown {
  /** The newest first. */
  rows: readonly Piece[]
  parts: readonly Piece[]
  at: string
}

/** Whoever looks at the page, in their language. */
export interface Viewer {
  session: Pick<ConsoleSession, 'id' | 'role'>
  show(look: LineLook): Shown
}

export interface WatchDeps {
  read: ReadLine
  sessions: Pick<SessionVerbs, 'listSessions'>
  clock: Clock
  log: Logger
}

/**
 * Tells pages what has changed, by one look a second for all of them, and by none while nobody looks. A look at the rows,
 * and no events of this process: so the payments of other hubs are there as well.
 *
 * Each stream knows what it has sent. So a new one gets everything, and nothing has to be replayed.
 */
export function createWatch({ read, sessions, clock, log }: WatchDeps) {
  const streams = new Set<Stream>()
  let isStopped = false
  const looks = createLooks(
    { clock, log },
    { look, failure: 'the console is not told of new payments', retryMs: LOOK_EVERY_MS },
  )

  async function look(): Promise<number> {
    try {
      await endOthers()
      if (streams.size > 0) {
        const seen = await read()
        await Promise.all([...streams].map((stream) => stream.tell(seen)))
      }
    } catch (error) {
      for (const stream of streams) stream.isLate()
      throw error
    } finally {
      for (const stream of streams) stream.beat(clock.elapsed())
    }
    return LOOK_EVERY_MS
  }

  /** Ends the streams of those who have logged out, and of whose role has changed. An open stream is no use of a session. */
  async function endOthers() {
    const roles = new Map((await sessions.listSessions()).map(({ id, role }) => [id, role]))
    for (const stream of streams)
      if (roles.get(stream.viewer.session.id) !== stream.viewer.session.role) stream.end('session')
  }

  function closed(stream: Stream) {
    streams.delete(stream)
    if (streams.size === 0) void looks.stop()
  }

  return {
    /** A stream of server-sent events. Undefined when there are too many, and when the hub stops. */
    open(viewer: Viewer): ReadableStream<Uint8Array> | undefined {
      if (isStopped || streams.size >= MOST_STREAMS) return undefined
      const stream = new Stream(viewer, clock, closed)
      streams.add(stream)
      if (looks.isRunning()) looks.soon(0)
      else looks.start()
      return stream.body
    },
    /** Streams that are open now. */
    count: () => streams.size,
    /** Ends all streams. None is opened from now on. */
    stop() {
      isStopped = true
      for (const stream of streams) stream.end('hub')
    },
  }
}

class Stream {
  readonly viewer: Viewer
  readonly body: ReadableStream<Uint8Array>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #closed: (stream: Stream) => void
  readonly #text = new TextEncoder()
  /** By the id of the part. */
  #sent = new Map<string, string>()
  #order = ''
  #sentAt: number
  #isLate = false
  #out: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor(viewer: Viewer, clock: Pick<Clock, 'elapsed'>, closed: (stream: Stream) => void) {
    this.viewer = viewer
    this.#clock = clock
    this.#closed = closed
    this.#sentAt = clock.elapsed()
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (out) => {
          this.#out = out
        },
        cancel: () => this.#close(),
      },
      new CountQueuingStrategy({ highWaterMark: MOST_UNSENT }),
    )
    this.#send(`retry: ${RETRY_MS}\n\n`)
  }

  /** Sends what has changed since the last look, if anything has. */
  async tell(look: LineLook) {
    const { rows, parts, at } = this.viewer.show(look)
    const order = rows.map(({ id }) => id)
    const isMoved = order.join() !== this.#order
    const changed = { rows: await this.#changed(rows), parts: await this.#changed(parts) }
    if (!isMoved && !this.#isLate && changed.rows.length + changed.parts.length === 0) return
    const message: Message = { now: look.now, at, ...changed, ...(isMoved && { order }) }
    this.#order = order.join()
    this.#isLate = false
    // Rows that are shown no more are forgotten.
    this.#sent = new Map([...rows, ...parts].map(({ id, key }) => [id, key]))
    this.#send(`data: ${JSON.stringify(message)}\n\n`)
  }

  async #changed(pieces: readonly Piece[]): Promise<Part[]> {
    const changed = pieces.filter(({ id, key }) => this.#sent.get(id) !== key)
    return Promise.all(changed.map(async ({ id, html }) => [id, String(await html())] as const))
  }

  /** What the page shows is not of now any more: the storage can't be read. */
  isLate() {
    if (!this.#isLate) this.#send('event: late\ndata:\n\n')
    this.#isLate = true
  }

  beat(elapsed: number) {
    if (elapsed - this.#sentAt >= BEAT_EVERY_MS) this.#send(':\n\n')
  }

  end(reason: EndReason) {
    this.#send(`event: end\ndata: ${reason}\n\n`)
    this.#close()
  }

  #send(text: string) {
    if (!this.#out) return
    // A reader that comes again gets everything.
    if ((this.#out.desiredSize ?? 0) <= 0) return this.#close()
    this.#out.enqueue(this.#text.encode(text))
    this.#sentAt = this.#clock.elapsed()
  }

  #close() {
    const out = this.#out
    if (!out) return
    this.#out = undefined
    this.#closed(this)
    try {
      out.close()
    } catch {
      // It was cancelled.
    }
  }
}
