import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Guest } from './admission.ts'

/** Answers a request; resolves when the answer is handed to the connection. */
export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<unknown>

/** A connection of an HTTP server. */
export interface Connection extends Guest {
  /** Gives bytes to Node's parser. */
  feed: (bytes: Buffer) => void
  /** Tells Node's parser that the client sends no more. */
  end: () => void
  /** The client sends no more, and the parser does not know it yet. */
  hasEnded: boolean
  /** Of the last request that has waited for something: aborted when the client sends no more. */
  rest: { of: ServerResponse | undefined; gone: AbortController } | undefined
  /** The answers of the parsed requests that are not written yet, in order. Only the first is with the app. */
  responses: ServerResponse[]
  /** The answer of the last parsed request, written or not. */
  newest: ServerResponse | undefined
  /** The app has the first request. */
  isStarted: boolean
  /** Waits for a slot. */
  isQueued: boolean
  /** Since when it has a slot, on the clock's `elapsed`. */
  slotSince: number | undefined
  /** Its next request is not read before, on the clock's `elapsed`. */
  offUntil: number
  isFeeding: boolean
  isPaused: boolean
  /** Closed, or no longer HTTP. */
  isOver: boolean
  /** The listeners, one of each for all requests. */
  receive: (bytes: Buffer) => void
  start: () => void
  answered: () => void
  ended: () => void
  /** The first request waits for something, up to so many milliseconds. The signal is aborted when the client sends no more. */
  rests: (ms: number) => AbortSignal
}

/** What a connection calls. */
interface Handlers {
  receive(connection: Connection, bytes: Buffer): void
  start(connection: Connection): void
  answered(connection: Connection): void
  goOn(connection: Connection): void
}

export function newConnection(
  peer: Pick<Guest, 'socket' | 'network' | 'isProxy'>,
  { receive, start, answered, goOn }: Handlers,
): Connection {
  const connection: Connection = {
    ...peer,
    clientId: undefined,
    countsFor: undefined,
    feed: nodesOwn(peer.socket, 'data'),
    end: nodesOwn(peer.socket, 'end'),
    hasEnded: false,
    rest: undefined,
    responses: [],
    newest: undefined,
    held: undefined,
    slotSince: undefined,
    offUntil: 0,
    isStarted: false,
    isQueued: false,
    isFeeding: false,
    isPaused: false,
    isOver: false,
    receive: (bytes) => receive(connection, bytes),
    start: () => start(connection),
    answered: () => answered(connection),
    ended: () => {
      connection.hasEnded = true
      connection.rest?.gone.abort()
      goOn(connection)
    },
    rests: (ms) => restOf(connection, ms),
  }
  return connection
}

/** Puts the listeners of a connection in the place of Node's own. */
export function takeOver({ socket, feed, receive, end, ended }: Connection) {
  socket.removeListener('data', feed).on('data', receive)
  socket.removeListener('end', end).on('end', ended)
}

/** Node drops what is not answered when the client sends no more: it learns that when all whole requests are answered. */
export function passEndOn(connection: Connection) {
  const { hasEnded, held, responses, newest, isOver } = connection
  if (!hasEnded || held || isOver || (responses.length > 0 && newest?.req.complete)) return
  connection.hasEnded = false
  connection.end()
}

function restOf(connection: Connection, ms: number): AbortSignal {
  const { socket, responses, rest } = connection
  const [of] = responses
  if (rest && rest.of === of) return rest.gone.signal
  // Node sets it anew for the next request.
  if (socket.timeout) socket.setTimeout(socket.timeout + ms)
  const gone = new AbortController()
  connection.rest = { of, gone }
  if (connection.hasEnded) gone.abort()
  return gone.signal
}

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Splits off what is parsed next: everything, when it holds the end of one head at most, else the first head. An end
 * that is split between two reads is missed, so that the parser may be one request ahead.
 */
export function nextPiece(bytes: Buffer): [piece: Buffer, rest: Buffer | undefined] {
  const first = bytes.indexOf(HEAD_END)
  const length = first + HEAD_END.length
  const isWhole = first < 0 || length === bytes.length || bytes.indexOf(HEAD_END, length) < 0
  return isWhole ? [bytes, undefined] : [bytes.subarray(0, length), bytes.subarray(length)]
}

/** The listener that Node adds for an event of a socket; it has the type of every such listener. */
function nodesOwn(socket: Socket, event: 'data' | 'end'): (bytes?: Buffer) => void {
  const listener = socket.listeners(event).at(-1)
  if (!listener)
    throw new Error(`Node.js parses HTTP without a listener for ${event}: connections.ts must follow`)
  return listener as (bytes?: Buffer) => void
}
