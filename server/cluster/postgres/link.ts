import type { Client } from 'pg'
import type { Clock } from '../../platform/clock.ts'
import { reason } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { connectToPrimary, giveUp } from '../../storage/postgres/engine/primary.ts'
import { unavailable } from '../../storage/shared/storage-errors.ts'

/** A server that has not answered by then is gone. */
const ANSWER_TIMEOUT_MS = 3_000
const FIRST_RETRY_MS = 100
/** A hub must not take itself for cut off because it waits: reach.ts judges after ten of these. */
const LONGEST_RETRY_MS = 1_000

/** A connection that is opened again whenever it is lost. */
export interface Link {
  /** Any failure ends the connection, and another one is opened. */
  query<R>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** Gives the connection up, with what waits on it, and opens another one. */
  renew(): void
  close(): Promise<void>
}

export interface LinkDeps {
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

/** Rejects when the first connection fails. */
export async function openLink({ url, ready, heard, reopened, clock, log }: LinkDeps): Promise<Link> {
  let current: Client | undefined
  let isClosed = false
  let cancelRetry: () => void = () => undefined
  let retryMs = FIRST_RETRY_MS
  let openedAt = 0

  async function open() {
    const client = await connectToPrimary(url, {
      application_name: 'soundbox-hub cluster',
      query_timeout: ANSWER_TIMEOUT_MS,
      // Callers do not wait for one another.
      pipeline: true,
    })
    try {
      if (isClosed) throw unavailable()
      client.on('notification', ({ payload = '' }) => heard(payload))
      await ready((text, values) => ask(client, text, values))
    } catch (error) {
      giveUp(client)
      throw error
    }
    current = client
    openedAt = clock.elapsed()
    client.once('end', () => lost(client))
  }

  function lost(client: Client) {
    if (current !== client) return
    current = undefined
    giveUp(client)
    if (isClosed) return
    log.warn('the connection to the other hubs is lost: it is opened again')
    // One that is lost again and again lets all hubs look at all devices each time.
    if (clock.elapsed() - openedAt > LONGEST_RETRY_MS) retryMs = FIRST_RETRY_MS
    retry()
  }

  function retry() {
    const delayMs = retryMs
    retryMs = Math.min(2 * delayMs, LONGEST_RETRY_MS)
    cancelRetry = clock.after(delayMs, () => {
      open().then(
        () => {
          log.info('the connection to the other hubs is open again')
          reopened()
        },
        (error: unknown) => {
          log.debug({ reason: reason(error) }, 'the connection to the other hubs could not be opened')
          if (!isClosed) retry()
        },
      )
    })
  }

  await open()

  return {
    async query(text, values) {
      const client = current
      if (!client) throw unavailable()
      try {
        return await ask(client, text, values)
      } catch (error) {
        lost(client)
        throw error
      }
    },

    renew() {
      if (current) lost(current)
    },

    async close() {
      isClosed = true
      cancelRetry()
      await current?.end()
    },
  }
}

async function ask<R>(client: Client, text: string, values: readonly unknown[] = []): Promise<R[]> {
  const { rows } = await client.query(text, [...values])
  // The caller knows the columns of its text.
  return rows as R[]
}
