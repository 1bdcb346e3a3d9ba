import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createRefusals } from '../../../server/http/errors/before-http.ts'
import { createHttpServer, type Patience } from '../../../server/http/server.ts'
import { listen } from '../../../server/platform/listen.ts'
import type { TestApi } from '../api.ts'

/** An answer as it came over the wire. */
export interface RawAnswer {
  status: number
  /** Names in lower case. */
  headers: Map<string, string>
  body: string
}

/** A bare TCP connection to an HTTP server, for what no client library would send. */
export interface RawHttp {
  socket: Socket
  send(...parts: string[]): void
  /** Resolves when the server has closed the connection, with everything that it had said. */
  closed: Promise<string>
  /** Everything that came so far. */
  heard(): string
}

/** The test's hub behind the server of a real one, on a free port. */
export async function serveHttp(
  api: TestApi,
  patience?: Patience,
): Promise<{ server: Server; open: () => RawHttp }> {
  const refusals = createRefusals(api.logger)
  const server = createHttpServer((request) => api.fetch(request), refusals, patience)
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

/** The answers in what a server said; an interim one (1xx) is an answer without a body. */
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

/** The one answer in what a server said. */
export function answerIn(text: string): RawAnswer {
  const [answer, ...more] = answersIn(text)
  if (!answer || more.length > 0) throw new Error(`not one answer in ${JSON.stringify(text)}`)
  return answer
}
