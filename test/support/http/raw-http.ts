import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { Connections } from '../../../server/http/connections/connections.ts'
import { createRefusals } from '../../../server/http/errors/before-http.ts'
import { createHttpServer, type Patience } from '../../../server/http/server.ts'
import { listen } from '../../../server/platform/listen.ts'
import type { TestApi } from '../api.ts'

/** An HTTP answer, parsed from the bytes of the connection. */
export interface RawAnswer {
  status: number
  /** Names in lower case. */
  headers: Map<string, string>
  body: string
}

/** A TCP connection to an HTTP server, for bytes that no client library sends. */
export interface RawHttp {
  socket: Socket
  send(...parts: string[]): void
  /** Resolves with all received text when the server has closed the connection. */
  closed: Promise<string>
  /** All text received so far. */
  heard(): string
}

/** The timeouts of Node's HTTP server run in real time. With these, no client is too slow. */
export const LONG: Patience = {
  ...{ headersMs: 600_000, requestMs: 600_000, stalledMs: 600_000, lookEveryMs: 20 },
}

/** Serves a test's hub by the real HTTP server, on a free port. */
export async function serveHttp(
  api: TestApi,
  patience = LONG,
): Promise<{ server: Server; open: () => RawHttp }> {
  const refusals = createRefusals(api.logger)
  const connections = new Connections({ clock: api.clock })
  const server = createHttpServer(
    (request, env) => api.fetch(request, env),
    { refusals, connections, clock: api.clock },
    patience,
  )
  const port = await listen(server, '127.0.0.1', 0, 'a free port')
  onTestFinished(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  return { server, open: () => openHttp(port) }
}

export function openHttp(port: number): RawHttp {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  let heard = ''
  socket.setEncoding('utf8').on('data', (text) => {
    heard += text
  })
  socket.on('error', () => undefined)
  socket.on('end', () => socket.destroy())
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(heard)))
  const send = (...parts: string[]) => {
    for (const part of parts) socket.write(part, 'latin1')
  }
  return { socket, send, closed, heard: () => heard }
}

/** The answers in the received text. An interim answer (1xx) has no body. */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (end < 0 || Number.isNaN(status)) throw new Error(`no answer in ${JSON.stringify(rest)}`)
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(': ')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
      }),
    )
    const length = Number(headers.get('content-length') ?? 0)
    const bytes = Buffer.from(rest.slice(end + 4))
    answers.push({ status, headers, body: bytes.subarray(0, length).toString() })
    rest = bytes.subarray(length).toString()
  }
  return answers
}

/** The only answer in the received text. */
export function answerIn(text: string): RawAnswer {
  const [answer, ...more] = answersIn(text)
  if (!answer || more.length > 0) throw new Error(`not one answer in ${JSON.stringify(text)}`)
  return answer
}
