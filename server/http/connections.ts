import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { NO_PROXY, networkOf, plainAddress, type TrustsProxy } from '../platform/address.ts'
import type { Clock } from '../platform/clock.ts'
import { createTurns } from '../platform/turns.ts'
import { BOUNDS, type Bounds, type ClosedFor, createAdmission, type Guest } from './admission.ts'

/** Requests that are worked on at a time: more wait longer for the writer, and are not answered sooner. */
const SLOTS = 128
/** A request that takes longer waits for a device or for its sender, and does not use the processor. */
const LONGEST_TURN_MS = 200
/** How often turns and held-off connections are looked at. */
const LOOK_EVERY_MS = 100
const UNREAD_EVERY_MS = 1_000
/** Connections that go on with what they hold in one turn of the event loop, and the pieces that each of them feeds. */
const AT_ONCE = 16

const HEAD_END = Buffer.from('\r\n\r\n')

/** Answers a request; resolves when the answer is handed to the connection. */
export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<unknown>

interface Connection extends Guest {
  /** Gives bytes to Node's parser. */
  feed: (bytes: Buffer) => void
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
  isDue: boolean
  /** Closed, or no longer HTTP. */
  isOver: boolean
  /** The listeners, one of each for all requests. */
  receive: (bytes: Buffer) => void
  start: () => void
  answered: () => void
}

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
  const due: Connection[] = []
  let answer: Answer = async () => undefined
  let open = 0
  let isFinishing = false
  let onIdle: () => void = () => undefined
  let isLooking = false
  let unreadLookedAt = clock.elapsed()

  function admit(socket: Socket) {
    const address = plainAddress(socket.remoteAddress ?? '')
    const connection: Connection = {
      ...{ socket, network: networkOf(address), isProxy: trustsProxy(address), clientId: undefined },
      ...{ feed: nodesOwn(socket), responses: [], newest: undefined, held: undefined },
      ...{ slotSince: undefined, offUntil: 0 },
      ...{
        isStarted: false,
        isQueued: false,
        isFeeding: false,
        isPaused: false,
        isDue: false,
        isOver: false,
      },
      receive: (bytes) => receive(connection, bytes),
      start: () => start(connection),
      answered: () => answered(connection),
    }
    // An address is unknown when the client has already gone.
    if (address === '' || !admission.admits(connection)) return void socket.destroy()
    bySocket.set(socket, connection)
    socket.removeListener('data', connection.feed)
    socket.on('data', connection.receive)
    socket.on('close', () => end(connection))
    if (!isLooking) lookLater()
  }

  function receive(connection: Connection, bytes: Buffer) {
    connection.held = connection.held ? Buffer.concat([connection.held, bytes]) : bytes
    goOn(connection)
  }

  /** Starts the next parsed request, and feeds the held bytes as far as they may go. */
  function goOn(connection: Connection) {
    if (connection.isFeeding || connection.isOver) return
    if (connection.responses.length > 0 && !connection.isStarted && !isOff(connection)) takeTurn(connection)
    connection.isFeeding = true
    let pieces = 0
    for (; connection.held && pieces < AT_ONCE && mayFeed(connection); pieces += 1) {
      const bytes = connection.held
      const length = pieceLength(bytes)
      connection.held = length < bytes.length ? bytes.subarray(length) : undefined
      connection.feed(connection.held ? bytes.subarray(0, length) : bytes)
    }
    connection.isFeeding = false
    // While the rest of a body is on its way, the slot is another's.
    if (connection.responses[0]?.req.complete === false) giveBack(connection)
    if (connection.held && pieces === AT_ONCE) goOnLater(connection)
    hold(connection)
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
    const { isOver, socket, responses } = connection
    const [first] = responses
    if (isOver || !socket.writable) return false
    if (!first) return !isFinishing && !isOff(connection)
    if (first.req.complete || responses.length > 1) return false
    if (connection.slotSince === undefined) takeTurn(connection)
    return connection.slotSince !== undefined
  }

  const isOff = ({ offUntil }: Connection) => offUntil !== 0 && clock.elapsed() < offUntil

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
    if (connection.isOver || !first || !connection.socket.writable) {
      // Later: the next task that needs no slot either would otherwise be started inside of this one, and so on.
      return queueMicrotask(turns.release)
    }
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

  function giveBack(connection: Connection) {
    if (connection.slotSince === undefined) return
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
    admission.works(connection)
    if (connection.responses.length === 1) takeTurn(connection)
  }

  /** The answer is written, or the connection is closed. */
  function answered(connection: Connection) {
    const { responses } = connection
    if (!responses.shift()) return
    connection.isStarted = false
    giveBack(connection)
    if (responses.length === 0) admission.rests(connection)
    if (responses.length > 0 || connection.held) goOnLater(connection)
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
    stream.removeListener('data', connection.receive)
    if (connection.held) stream.unshift(connection.held)
    connection.held = undefined
  }

  /**
   * A connection goes on in a later turn of the event loop: otherwise all that it holds would be answered before any
   * other connection is read.
   */
  function goOnLater(connection: Connection) {
    if (connection.isDue) return
    connection.isDue = true
    due.push(connection)
    if (due.length === 1) setImmediate(goOnSome)
  }

  function goOnSome() {
    const now = due.splice(0, AT_ONCE)
    if (due.length > 0) setImmediate(goOnSome)
    for (const connection of now) {
      connection.isDue = false
      goOn(connection)
    }
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
      if (!connection || connection.clientId === clientId) return
      connection.clientId = clientId
      admission.isKnown(connection)
    },
    /**
     * The connection's next request is read after so many seconds. A trusted proxy's goes on, because the next request
     * may be another client's.
     */
    holdOff({ socket }: IncomingMessage, seconds: number) {
      const connection = bySocket.get(socket)
      if (!connection || connection.isProxy) return
      connection.offUntil = clock.elapsed() + seconds * 1_000
      heldOff.add(connection)
    },
    /** Reads no new request; resolves when all that were read are answered. */
    async finish(): Promise<void> {
      isFinishing = true
      if (open > 0) await new Promise<void>((resolve) => (onIdle = resolve))
    },
  }
}

/**
 * The length of the next piece to parse: everything, when it holds the end of one head at most, else the first head.
 * An end that is split between two reads is missed, so that the parser may be one request ahead.
 */
function pieceLength(bytes: Buffer): number {
  const first = bytes.indexOf(HEAD_END)
  const length = first + HEAD_END.length
  const isOne = first < 0 || length === bytes.length || bytes.indexOf(HEAD_END, length) < 0
  return isOne ? bytes.length : length
}

/** The listener that Node adds for the bytes of a socket; it has the type of every such listener. */
function nodesOwn(socket: Socket): (bytes: Buffer) => void {
  const [listener] = socket.listeners('data')
  if (!listener)
    throw new Error('Node.js parses HTTP without a listener for data: connections.ts must follow')
  return listener as (bytes: Buffer) => void
}
