import type { CallbackFields } from '../../../simulator/run/hub/partner-client.ts'
import { signedCallback } from '../../support/callback.ts'
import { nextBytes, type Round } from './round.ts'
import type { Listener, Target } from './target.ts'

export const CALLBACK_PATH = '/api/v1/partner/payment/callback'

export function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: hub\r\n\r\n`
}

export function post(path: string, body: string, token?: string): string {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  return `POST ${path} HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n${authorization}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
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
