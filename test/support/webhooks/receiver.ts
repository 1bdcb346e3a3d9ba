import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { OnEnd } from '../folder.ts'
import { listenOnFreePort } from '../listen.ts'

/** A request as an endpoint got it. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** Number of the connection that it came by, from 1. */
  connection: number
}

export type Answer = (response: ServerResponse, received: Received, socket: Socket) => void

/** Answers with a status and a body. */
export const answerWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) => {
    response.writeHead(status, headers).end(body)
  }

/** An endpoint on loopback. `answer` may be replaced at any time. */
export async function startReceiver(answer: Answer = answerWith(204), onEnd: OnEnd = onTestFinished) {
  const received: Received[] = []
  const sockets = new Map<Socket, number>()
  let connections = 0
  const receiver = { url: '', answer, received, connections: () => connections, open: () => sockets.size }
  const server = createServer((request, response) => void take(request, response))
  async function take(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url: path = '', headers, socket } = request
    const one = {
      path,
      headers,
      body: Buffer.concat(chunks).toString(),
      connection: sockets.get(socket) ?? 0,
    }
    received.push(one)
    receiver.answer(response, one, socket)
  }
  server.on('connection', (socket) => {
    connections += 1
    sockets.set(socket, connections)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  onEnd(() => {
    server.close()
    for (const socket of sockets.keys()) socket.destroy()
  })
  receiver.url = `http://127.0.0.1:${await listenOnFreePort(server)}/hook`
  return receiver
}
