import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../platform/clock.ts'
import { NO_PROXY, networkOf, plainAddress, type TrustsProxy } from '../platform/net/address.ts'
import { createTurns } from '../platform/turns.ts'
import { BOUNDS, type Bounds, type ClosedFor, createAdmission } from './admission.ts'
import { type Answer, type Connection, newConnection, nextPiece, passEndOn, takeOver } from './connection.ts'
import { createLater } from './later.ts'

/**
 * Requests that are worked on at a time: more wait longer for the writer, and are not answered sooner. With 400
 * connections of one partner, another's callback takes 15 ms (p50) with 32, 23 with 64 and 58 with 128; the partner itself
 * gets 9 % fewer answers than with 128.
 */
const SLOTS = 32
/** A request that takes longer waits for a device or for its sender, and does not use the processor. */
const LONGEST_TURN_MS = 200
/** Node closes a connection that rests for 5 s, also with a request that is held. */
const LONGEST_OFF_S = 4
/** How often turns and held-off connections are looked at. */
const LOOK_EVERY_MS = 100
const UNREAD_EVERY_MS = 1_000
/** The pieces that a connection feeds before it waits again: a body may be made of nothing but ends of heads. */
const MOST_PIECES = 16

export type Connections = ReturnType<typeof createConnections>

/**
 * The connections of an HTTP server, so that none of them silences another:
 *  1. a connection has one request under way: what follows it is parsed when its answer is written,
 *  2. requests are worked on in turn: by partner, and by network as long as a connection has shown no good token,
 *  3. the number of connections and the bytes that they occupy are bounded.
 *
 * Why: Node parses and dispatches all requests of a read at once, which may be 2,500 in 64 KiB. So the server's own
 * listener for a socket's bytes is called piece by piece. A piece holds the end of one head at most, so there are never
 * more than two parsed requests, and no HTTP is read here. Held by test/server/http/connections/*.test.ts.
 */
export function createConnections({
  clock,
  trustsProxy = NO_PROXY,
  addressOf = ({ socket }) => socket.remoteAddress ?? '',
  bounds = BOUNDS,
  slots = SLOTS,
  closed = () => undefined,
}: {
  clock: Clock
  trustsProxy?: TrustsProxy
  /** The address of a request's client, as a trusted proxy tells it. */
  addressOf?: (incoming: IncomingMessage) => string
  bounds?: Bounds
  slots?: number
  closed?: (reason: ClosedFor) => void
}) {
  const turns = createTurns(slots)
  const admission = createAdmission<Connection>(clock, bounds, closed)
  const bySocket = new WeakMap<Duplex, Connection>()
  /** In the order in which they got their slots. */
  const withSlot = new Set<Connection>()
  const heldOff = new Set<Connection>()
  /** Otherwise all that a connection holds would be answered before any other connection is read. */
  const goOnLater = createLater(goOn)
  let answer: Answer = async () => undefined
  let open = 0
  let isFinishing = false
  let onIdle: () => void = () => undefined
  let isLooking = false
  let unreadLookedAt = clock.elapsed()

  function admit(socket: Socket) {
    const address = plainAddress(socket.remoteAddress ?? '')
    const connection = newConnection(
      { socket, network: networkOf(address), isProxy: trustsProxy(address) },
      { receive, start, answered, goOn },
    )
    // An address is unknown when the client has already gone.
    if (address === '' || !admission.admits(connection)) return void socket.destroy()
    bySocket.set(socket, connection)
    takeOver(connection)
    socket.on('close', () => end(connection))
    if (!isLooking) lookLater()
  }

  function receive(connection: Connection, bytes: Buffer) {
    connection.held = connection.held ? Buffer.concat([connection.held, bytes]) : bytes
    goOn(connection)
  }

  /** Lets the next parsed request start, and feeds the held bytes as far as they may go. */
  function goOn(connection: Connection) {
    if (connection.isFeeding || connection.isOver) return
    startNext(connection)
    connection.isFeeding = true
    let pieces = 0
    for (; connection.held && pieces < MOST_PIECES && mayFeed(connection); pieces += 1) {
      const [piece, rest] = nextPiece(connection.held)
      connection.held = rest
      connection.feed(piece)
    }
    connection.isFeeding = false
    const isWhole = connection.responses[0]?.req.complete
    // While the rest of a body is on its way, the slot is another's.
    if (isWhole === false) giveBack(connection)
    else if (isWhole) admission.works(connection)
    if (connection.held && pieces === MOST_PIECES) goOnLater(connection)
    hold(connection)
    passEndOn(connection)
  }

  /** Reads on when nothing is held. */
  function hold(connection: Connection) {
    const { socket } = connection
    // Nothing can be answered any more: what still comes is read and dropped.
    if (!socket.writable || connection.isOver) connection.held = undefined
    else if (connection.held) {
      connection.isPaused = true
      socket.pause()
    } else if (connection.isPaused) {
      connection.isPaused = false
      socket.resume()
    }
  }

  function mayFeed(connection: Connection): boolean {
    const { isOver, socket, responses, newest } = connection
    const [first] = responses
    if (isOver || !socket.writable) return false
    // A request that is answered early still has its body to send.
    if (!first) return newest?.req.complete === false || !(isFinishing || isOff(connection))
    if (first.req.complete || responses.length > 1) return false
    if (connection.slotSince === undefined) takeTurn(connection)
    return connection.slotSince !== undefined
  }

  const isOff = ({ offUntil }: Connection) => offUntil !== 0 && clock.elapsed() < offUntil

  function startNext(connection: Connection) {
    if (connection.responses.length > 0 && !connection.isStarted && !isOff(connection)) takeTurn(connection)
  }

  function takeTurn(connection: Connection) {
    if (connection.isQueued || connection.slotSince !== undefined) return
    connection.isQueued = true
    const { clientId, network, isProxy, responses } = connection
    const [first] = responses
    turns.take(isProxy && first ? networkOf(addressOf(first.req)) : (clientId ?? network), connection.start)
  }

  function start(connection: Connection) {
    connection.isQueued = false
    const [first] = connection.responses
    if (connection.isOver || !first || !connection.socket.writable) return turns.release()
    connection.slotSince = clock.elapsed()
    withSlot.add(connection)
    if (!connection.isStarted) {
      connection.isStarted = true
      const done = () => {
        if (connection.responses[0] === first) giveBack(connection)
      }
      void answer(first.req, first).then(done)
    }
    goOn(connection)
  }

  function giveBack(connection: Connection | undefined) {
    if (connection?.slotSince === undefined) return
    connection.slotSince = undefined
    withSlot.delete(connection)
    turns.release()
  }

  /** The server has parsed the head of a request. */
  function request(incoming: IncomingMessage, response: ServerResponse) {
    const connection = bySocket.get(incoming.socket)
    if (!connection) return void answer(incoming, response)
    connection.newest = response
    connection.responses.push(response)
    response.on('close', connection.answered)
    open += 1
    if (connection.isProxy && !admission.begins(connection, networkOf(addressOf(incoming)))) return
    startNext(connection)
  }

  /** The answer is written, or the connection is closed. */
  function answered(connection: Connection) {
    const { responses } = connection
    if (!responses.shift()) return
    connection.isStarted = false
    giveBack(connection)
    admission.rests(connection)
    if (responses.length > 0 || connection.held || connection.hasEnded) goOnLater(connection)
    closeOne(1)
  }

  function end(connection: Connection) {
    connection.isOver = true
    connection.held = undefined
    heldOff.delete(connection)
    admission.leaves(connection)
    giveBack(connection)
    closeOne(connection.responses.splice(0).length)
  }

  function closeOne(requests: number) {
    open -= requests
    if (open === 0) onIdle()
  }

  /** WebSocket and CONNECT: the socket is another's, with the bytes that followed. */
  function handOver(_: IncomingMessage, stream: Duplex) {
    const connection = bySocket.get(stream)
    if (!connection) return
    connection.isOver = true
    admission.leaves(connection)
    stream.removeListener('data', connection.receive).removeListener('end', connection.ended)
    // After its end, `unshift` is an error of the socket, and nobody listens for errors yet.
    if (connection.held && !stream.readableEnded) stream.unshift(connection.held)
    connection.held = undefined
  }

  function lookLater() {
    isLooking = true
    clock.after(LOOK_EVERY_MS, look)
  }

  function look() {
    const now = clock.elapsed()
    for (const connection of withSlot) {
      if (now - (connection.slotSince ?? now) < LONGEST_TURN_MS) break
      giveBack(connection)
    }
    for (const connection of heldOff) {
      if (isOff(connection)) continue
      heldOff.delete(connection)
      goOnLater(connection)
    }
    if (now - unreadLookedAt >= UNREAD_EVERY_MS) {
      unreadLookedAt = now
      admission.cutUnread()
    }
    isLooking = false
    if (admission.count() > 0) lookLater()
  }

  return {
    /** Takes over the connections of a server, which answers by `answerRequest`. */
    serve(server: Server, answerRequest: Answer) {
      answer = answerRequest
      server.on('connection', admit)
      server.on('request', request)
      server.prependListener('upgrade', handOver)
      server.prependListener('connect', handOver)
    },
    /** The answers of a connection: those that are not written yet, in order, and the newest. */
    answersOf: (socket: Duplex): Pick<Connection, 'responses' | 'newest'> | undefined => bySocket.get(socket),
    /** The request has a good token of this partner: from now on, the connection takes the partner's turns. */
    belongsTo({ socket }: IncomingMessage, clientId: string) {
      const connection = bySocket.get(socket)
      if (connection && connection.clientId !== clientId) admission.isKnown(connection, clientId)
    },
    /** The request waits for something: its slot is another's, and so many milliseconds without a byte are no stall. */
    rests({ socket }: IncomingMessage, ms: number): AbortSignal | undefined {
      giveBack(bySocket.get(socket))
      return bySocket.get(socket)?.rests(ms)
    },
    /** The next request is read after so many seconds, or the most that it may rest. A trusted proxy's may be another client's. */
    holdOff({ socket }: IncomingMessage, seconds: number) {
      const connection = bySocket.get(socket)
      if (!connection || connection.isProxy) return
      connection.offUntil = clock.elapsed() + Math.min(seconds, LONGEST_OFF_S) * 1_000
      heldOff.add(connection)
    },
    isFinishing: () => isFinishing,
    /** Reads no new request; resolves when all that were read are answered. */
    async finish(): Promise<void> {
      isFinishing = true
      if (open > 0) await new Promise<void>((resolve) => (onIdle = resolve))
    },
  }
}
