import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Hono } from 'hono'
import { type ErrorName, HubError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { HttpEnv } from '../response/env.ts'
import { standing } from '../response/response-headers.ts'
import { onError } from './respond.ts'

/** What is known of a request that never reached the app, for its answer. */
export interface RefusedRequest {
  /** Its X-Request-Id, as it came. */
  requestId?: string | string[] | undefined
  /** Headers of the answer that the error calls for. */
  headers?: Record<string, string>
}

/** Answers to what never becomes a request of the app, in the shape and with the headers of all answers. */
export interface Refusals {
  response(kind: ErrorName, request?: RefusedRequest): Promise<Response>
  /** Says it on a bare socket, and closes that. */
  write(socket: Duplex, kind: ErrorName, request?: RefusedRequest): void
}

/**
 * A sender that is still busy sending gets this long to read why it is refused: a socket that is closed with unread
 * bytes takes back what was written to it (RFC 9112, 9.6).
 */
const LINGER_MS = 500

export function createRefusals(log: Logger): Refusals {
  const app = new Hono<HttpEnv & { Bindings: { error: HubError } }>()
  app.use(standing())
  app.onError(onError(log))
  app.all('*', (c) => {
    throw c.env.error
  })

  async function response(kind: ErrorName, { requestId, headers = {} }: RefusedRequest = {}) {
    const id = typeof requestId === 'string' ? { 'X-Request-Id': requestId } : {}
    const answer = await app.request('/', { headers: id }, { error: new HubError(kind) })
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
    log.info(
      { requestId: answer.headers.get('X-Request-Id'), error: kind, status: answer.status },
      'refused before it was a request',
    )
    return answer
  }

  return {
    response,
    write(socket, kind, request) {
      // Whatever the other side still sends, or however it goes: it is told, and then it is gone.
      socket.on('error', () => socket.destroy())
      socket.resume()
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
      response(kind, request)
        .then(async (answer) => socket.end(await onTheWire(answer)))
        .catch((error: unknown) => {
          log.error({ err: error }, 'a refusal could not be written')
          socket.destroy()
        })
    },
  }
}

async function onTheWire(answer: Response): Promise<Buffer> {
  const body = Buffer.from(await answer.arrayBuffer())
  const headers = [...answer.headers, ['content-length', String(body.length)], ['connection', 'close']]
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
    `date: ${new Date().toUTCString()}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}
