import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { firstSeqAt } from '../../events/event.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import {
  type ApiAnswer,
  askHub,
  type Fetch,
  logIn,
  NoAnswer,
  noAnswerAt,
  type PartnerCredentials,
} from './partner-api.ts'
import { refusalOf } from './refusal.ts'
import { withTimeout } from './with-timeout.ts'

/** Events that one answer has at most. */
export const PAGE = 100
/** How long the hub holds a read until there is an event. */
const WAIT_S = 30
/** Of a read, with a new token when it needs one. */
const TIMEOUT_MS = 45_000
/** The clocks of several hubs differ, and the header Date has whole seconds. */
const CLOCKS_DIFFER_MS = 5_000
const EVENTS = '/api/v1/partner/event'

const eventJson = z.looseObject({
  id: z.string(),
  seq: z.string(),
  type: z.string(),
  timestamp: z.iso.datetime({ offset: true }),
  data: z.record(z.string(), z.unknown()),
})
/** An event as GET /event has it. */
export type EventJson = z.infer<typeof eventJson>

const page = z.object({ data: z.array(eventJson), next: z.string() })

export type EventRead =
  | { kind: 'page'; events: EventJson[]; next: string }
  /** No hub answers, or it can't serve the request now. */
  | { kind: 'away'; why: string }
  /** The partner has sent too many requests. */
  | { kind: 'busy'; waitMs: number }
  /** Events behind `after` were deleted. */
  | { kind: 'gone' }

export interface ReaderOptions extends PartnerCredentials {
  /** The address of the hub, asked before each request: a hub that starts again may have another. */
  base: () => string
  /** All when absent. */
  types?: readonly string[] | undefined
  stopping: AbortSignal
  clock?: Clock
  send?: Fetch
}

export type EventReader = ReturnType<typeof createEventReader>

/**
 * Reads a partner's events over the API, and gets its tokens by itself. Its methods throw an OperatorError when the hub
 * refuses the partner.
 */
export function createEventReader(options: ReaderOptions) {
  const { types, stopping, clock = systemClock, send } = options
  let token: string | undefined

  /** A hub that takes a free port has no address while it is away: it has not answered, and the reader tries again. */
  function base(): string {
    try {
      return options.base()
    } catch (error) {
      throw error instanceof OperatorError ? new NoAnswer('no hub is running', error.message) : error
    }
  }

  async function get(query: Record<string, string | undefined>): Promise<ApiAnswer> {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const path = `${EVENTS}?${new URLSearchParams(given)}`
    return withTimeout({ clock, timeoutMs: TIMEOUT_MS, stopping }, async (signal) => {
      for (let isFresh = token === undefined; ; isFresh = true) {
        if (isFresh) token = await newToken(signal)
        const answer = await askHub(base(), path, { ...(token !== undefined && { token }), signal }, send)
        // A token lives for an hour, and ends early when the client gets a new secret.
        if (answer.status !== 401 || isFresh) return answer
      }
    })
  }

  async function newToken(signal: AbortSignal): Promise<string> {
    const { answer, token } = await logIn(base(), { ...options, signal }, send)
    if (token !== undefined) return token
    if (isTemporary(answer)) throw noAnswerAt(base(), `status ${answer.status}`)
    throw new OperatorError(refusalOf(answer))
  }

  async function read(after: string | undefined, waitS: number): Promise<EventRead> {
    try {
      const query = { after, types: types?.join(), limit: String(PAGE), wait: String(waitS) }
      return toRead(await get(query))
    } catch (error) {
      if (error instanceof NoAnswer) return { kind: 'away', why: error.why }
      throw error
    }
  }

  return {
    /** The next events. Without any the hub waits for one, unless `atOnce`. */
    read: (after: string | undefined, { atOnce = false } = {}) => read(after, atOnce ? 0 : WAIT_S),

    /** A seq: the events from now on come behind it. Throws when no hub answers. */
    async newest(): Promise<string> {
      const { answer, token: first } = await logIn(base(), { ...options, signal: stopping }, send)
      if (first === undefined) throw new OperatorError(refusalOf(answer))
      token = first
      const said = Date.parse(answer.headers.get('date') ?? '')
      // Seqs follow the hub's clock.
      const from = firstSeqAt((Number.isNaN(said) ? clock.now() : said) - CLOCKS_DIFFER_MS)
      let after: string | undefined = String(from)
      for (;;) {
        const found = await read(after, 0)
        if (found.kind === 'away') throw noAnswerAt(base(), found.why)
        if (found.kind === 'busy') await sleep(found.waitMs, undefined, { signal: stopping })
        if (found.kind === 'gone') after = undefined
        if (found.kind !== 'page') continue
        if (found.events.length === 0 && found.next === after) return found.next
        after = found.next
      }
    },
  }
}

function toRead(answer: ApiAnswer): EventRead {
  if (answer.status === 200) {
    const parsed = page.safeParse(answer.body)
    if (parsed.success) return { kind: 'page', events: parsed.data.data, next: parsed.data.next }
    return { kind: 'away', why: 'its answer is not that of a hub' }
  }
  if (answer.status === 429)
    return { kind: 'busy', waitMs: 1_000 * (Number(answer.headers.get('retry-after')) || 1) }
  if (answer.status === 410) return { kind: 'gone' }
  if (isTemporary(answer)) return { kind: 'away', why: `status ${answer.status}` }
  throw new OperatorError(refusalOf(answer))
}

const isTemporary = ({ status }: ApiAnswer) => status >= 500 || status === 408 || status === 429
