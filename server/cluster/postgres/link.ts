import type { Client } from 'pg'
import type { Clock } from '../../platform/clock.ts'
import { reason } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { isLost } from '../../storage/postgres/engine/driver-errors.ts'
import { connectToPrimary, giveUp } from '../../storage/postgres/engine/primary.ts'
import { unavailable } from '../../storage/shared/storage-errors.ts'

/** A server that has not answered by then is gone. */
const ANSWER_TIMEOUT_MS = 3_000
const FIRST_RETRY_MS = 100
/** reach.ts takes a hub for cut off after ten seconds without an answer: the pause must stay far below. */
const LONGEST_RETRY_MS = 1_000

interface LinkDeps {
  url: string
  /** Makes a new connection ready. The connection is opened again if it rejects. */
  ready: (query: Link['query']) => Promise<void>
  /** A NOTIFY has come. */
  heard: (payload: string) => void
  /** The connection was lost, and is open again. */
  reopened: () => void
  clock: Clock
  log: Logger
}

/**
 * A connection to PostgreSQL that is opened again whenever it is lost:
 *
 *   open ──lost──▶ lost ──(a pause)──▶ opening ──▶ open, or lost again
 */
export class Link {
  readonly #deps: LinkDeps
  /** Undefined while it is lost. */
  #current: Client | undefined
  #isClosed = false
  #cancelRetry: () => void = () => undefined
  #retryMs = FIRST_RETRY_MS
  #openedAt = 0

  constructor(deps: LinkDeps) {
    this.#deps = deps
  }

  /** Opens it for the first time. Rejects when that fails: with UNAVAILABLE if the server does not answer. */
  async open() {
    const { url, ready, heard, clock } = this.#deps
    const client = await connectToPrimary(url, {
      application_name: 'soundbox-hub cluster',
      query_timeout: ANSWER_TIMEOUT_MS,
      // Callers do not wait for one another.
      pipeline: true,
    })
    try {
      if (this.#isClosed) throw unavailable()
      client.on('notification', ({ payload = '' }) => heard(payload))
      await ready((text, values) => ask(client, text, values))
    } catch (error) {
      giveUp(client)
      throw isLost(error) ? unavailable(error) : error
    }
    this.#current = client
    this.#openedAt = clock.elapsed()
    client.once('end', () => this.#lost(client))
  }

  /** Any failure ends the connection, and another one is opened. */
  async query<R>(text: string, values?: readonly unknown[]): Promise<R[]> {
    const client = this.#current
    if (!client) throw unavailable()
    try {
      return await ask(client, text, values)
    } catch (error) {
      this.#lost(client)
      throw error
    }
  }

  /** Gives the connection up, with what waits on it, and opens another one. */
  renew() {
    if (this.#current) this.#lost(this.#current)
  }

  async close() {
    this.#isClosed = true
    this.#cancelRetry()
    await this.#current?.end()
  }

  #lost(client: Client) {
    const { clock, log } = this.#deps
    if (this.#current !== client) return
    this.#current = undefined
    giveUp(client)
    if (this.#isClosed) return
    log.warn('the connection to the other hubs is lost: it is opened again')
    // One that is lost again and again lets all hubs look at all devices each time.
    if (clock.elapsed() - this.#openedAt > LONGEST_RETRY_MS) this.#retryMs = FIRST_RETRY_MS
    this.#openLater()
  }

  #openLater() {
    const delayMs = this.#retryMs
    this.#retryMs = Math.min(2 * delayMs, LONGEST_RETRY_MS)
    this.#cancelRetry = this.#deps.clock.after(delayMs, () => void this.#openAgain())
  }

  async #openAgain() {
    const { reopened, log } = this.#deps
    try {
      await this.open()
    } catch (error) {
      log.debug({ reason: reason(error) }, 'the connection to the other hubs could not be opened')
      if (!this.#isClosed) this.#openLater()
      return
    }
    log.info('the connection to the other hubs is open again')
    reopened()
  }
}

async function ask<R>(client: Client, text: string, values: readonly unknown[] = []): Promise<R[]> {
  const { rows } = await client.query(text, [...values])
  // The caller knows the columns of its text.
  return rows as R[]
}
