import type { CallbackFields } from '../../../simulator/run/hub/partner-client.ts'
import { signedCallback } from '../../support/callback.ts'
import { nextBytes, type Round } from './round.ts'
import type { Listener, Target } from './target.ts'

export const CALLBACK_PATH = '/api/v1/partner/payment/callback'

export function get(path: string, token?: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: hub\r\n${bearer(token)}\r\n`
}

/** `length` is what the request announces: of a body that comes slowly, `body` is the first part. */
export function post(path: string, body: string, token?: string, length = Buffer.byteLength(body)): string {
  return `POST ${path} HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n${bearer(token)}Content-Length: ${length}\r\n\r\n${body}`
}

function bearer(token: string | undefined): string {
  return token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
}

/** A callback of the neighbour, signed with its secret. `forge` changes it after that. */
export function callback(
  { neighbour }: Pick<Target, 'neighbour'>,
  changes: Partial<CallbackFields>,
  forge: Record<string, string> = {},
): string {
  const body = { ...signedCallback(neighbour.clientSecret, changes), ...forge }
  return post(CALLBACK_PATH, JSON.stringify(body), neighbour.token)
}

export interface Asking {
  clients: number
  /** From an answer to the next request. */
  gapMs: number
  from: (client: number) => string
  request: (client: number) => string
}

/** How long a client waits before it connects again. */
const RECONNECT_MS = 100

/** Clients that each send one request after another on a connection, and count the statuses. */
export function ask(round: Round, to: Listener, { clients, gapMs, from, request }: Asking): Promise<void> {
  return round.crowd(clients, Math.max(gapMs, RECONNECT_MS), async (client) => {
    const socket = round.connect(to, from(client))
    while (!socket.destroyed && !round.isOver) {
      socket.write(request(client))
      const answer = await nextBytes(socket)
      // The end of the round cuts them all.
      if (round.isOver) return
      round.count(answer === undefined ? 'cut' : answer.toString('latin1', 9, 12))
      if (gapMs > 0) await round.pause(gapMs)
    }
    socket.destroy()
  })
}
