import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { BOUNDS, type Bounds } from '../../../../server/http/connections/admission.ts'
import { Connections } from '../../../../server/http/connections/connections.ts'
import { drain } from '../../../../server/http/drain.ts'
import { createRefusals } from '../../../../server/http/errors/before-http.ts'
import { createHttpServer } from '../../../../server/http/server.ts'
import { listen } from '../../../../server/platform/listen.ts'
import { createLog } from '../../../../server/platform/log.ts'
import type { TrustsProxy } from '../../../../server/platform/net/address.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { answersIn } from '../../../support/http/raw-http.ts'
import { until } from '../../../support/wait.ts'

export const LARGE_BYTES = 16 * 1024 * 1024

/** These are Node's timeouts, in real time: a busy machine must not reach them. */
const PATIENT = { headersMs: 600_000, requestMs: 600_000, stalledMs: 600_000, lookEveryMs: 1_000 }

/** An HTTP server whose answers a test gives, in front of a small app:
 *  - `/now…` is answered at once, and `/wait…` when the test says so,
 *  - `/rest…` is as `/wait…`, occupies nothing until then, and is answered when the client sends no more,
 *  - `/echo` answers with its body, `/early` answers without reading it, `/large` answers with much,
 *  - `/partner/ID` has a good token of that partner, as `/wait/NAME/ID` has while it waits,
 *  - `/off/SECONDS` is refused for so long.
 */
export async function serveFront({
  slots,
  bounds = {},
  trustsProxy,
}: {
  slots?: number
  bounds?: Partial<Bounds>
  trustsProxy?: TrustsProxy
} = {}) {
  const clock = createVirtualClock()
  const asked: string[] = []
  const cut: string[] = []
  const waiting = new Map<string, () => void>()
  const connections = new Connections({
    clock,
    bounds: { ...BOUNDS, ...bounds },
    closed: (reason) => cut.push(reason),
    addressOf: ({ headers }) => String(headers['x-forwarded-for']),
    ...(slots !== undefined && { slots }),
    ...(trustsProxy && { trustsProxy }),
  })

  async function answer(request: Request, incoming: IncomingMessage): Promise<Response> {
    const [, kind, value = '', partner] = new URL(request.url).pathname.split('/')
    if (partner !== undefined) {
      // As in the hub, which reads the token first.
      await Promise.resolve()
      connections.belongsTo(incoming, partner)
    }
    const gone = kind === 'rest' ? connections.rests(incoming, 20_000) : undefined
    if (kind === 'wait' || kind === 'rest')
      await new Promise<void>((resolve) => {
        waiting.set(value, resolve)
        if (gone?.aborted) resolve()
        gone?.addEventListener('abort', () => resolve())
      })
    if (kind === 'partner') connections.belongsTo(incoming, value)
    if (kind === 'off') connections.holdOff(incoming, Number(value))
    if (kind === 'echo') return new Response(await request.text())
    if (kind === 'large') return new Response('x'.repeat(LARGE_BYTES))
    return new Response(value)
  }

  const server = createHttpServer(
    (request, { incoming }) => {
      const { pathname } = new URL(request.url)
      asked.push(pathname)
      return pathname.startsWith('/early') ? new Response('early') : answer(request, incoming)
    },
    { refusals: createRefusals(createLog('silent')), connections, clock },
    PATIENT,
  )
  const port = await listen(server, '127.0.0.1', 0, 'a free port')
  onTestFinished(async () => {
    for (const go of waiting.values()) go()
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })

  return {
    ...{
      server,
      connections,
      clock,
      asked,
      cut,
      drain: (withinMs: number) => drain(server, connections, withinMs),
    },
    /** Connects from an address of the loopback network. */
    open: (from = '127.0.0.1') => openClient(port, from),
    /** Gives the answer of `/wait/NAME` or `/rest/NAME`. */
    async answer(name: string) {
      const go = await until(`/wait/${name} was asked`, () => waiting.get(name))
      waiting.delete(name)
      go()
    },
    wasAsked: (path: string) => until(`${path} was asked`, () => asked.includes(path)),
  }
}

export type Client = Awaited<ReturnType<typeof openClient>>

async function openClient(port: number, localAddress: string) {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  let heard = ''
  let isClosed = false
  socket.setEncoding('latin1').on('data', (text) => {
    heard += text
  })
  socket.on('error', () => undefined)
  socket.on('end', () => socket.destroy())
  socket.on('close', () => {
    isClosed = true
  })
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  const bodies = () => answersIn(whole(heard)).map(({ body }) => body)
  return {
    socket,
    send: (text: string) => void socket.write(text, 'latin1'),
    heard: () => heard,
    isClosed: () => isClosed,
    closed: () => until('the connection was closed', () => isClosed),
    bodies,
    /** Resolves with the bodies of all answers when there are so many. */
    answers: (count: number) =>
      until(`${count} answers in ${JSON.stringify(heard.slice(0, 2_000))}`, () => {
        const all = bodies()
        return all.length >= count && all
      }),
  }
}

/** The received text as far as it holds whole answers. */
function whole(text: string): string {
  let end = 0
  for (;;) {
    const head = text.indexOf('\r\n\r\n', end)
    if (head < 0) return text.slice(0, end)
    const length = Number(/content-length: (\d+)/i.exec(text.slice(end, head))?.[1] ?? 0)
    if (text.length < head + 4 + length) return text.slice(0, end)
    end = head + 4 + length
  }
}

export const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: hub\r\n${headers}\r\n`
export const post = (path: string, body: string, headers = '') =>
  `POST ${path} HTTP/1.1\r\nHost: hub\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
export const chunked = (path: string, ...chunks: string[]) =>
  `POST ${path} HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\n${[...chunks, '']
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .join('')}`
