import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../platform/clock.ts'
import { NO_PROXY, networkOf, plainAddress, type TrustsProxy } from '../../platform/net/address.ts'
import { Admission, BOUNDS, type Bounds, type ClosedFor } from './admission.ts'
import { Connection } from './connection.ts'
import { createLater } from './later.ts'
import { Slots } from './slots.ts'

/**
 * Requests that are worked on at a time: more wait longer for the writer, and are not answered sooner. With 400
 * connections of one partner, another's callback takes 15 ms (p50) with 32, 23 with 64 and 58 with 128; the partner itself
 * gets 9 % fewer answers than with 128.
 */
const SLOTS = 32
/** Node closes a connection that rests for 5 s, also with a request that is held. */
const LONGEST_OFF_S = 4
/** How often turns and held-off connections are looked at. */
const LOOK_EVERY_MS = 100
const UNREAD_EVERY_MS = 1_000
/** The pieces that a connection feeds before it waits again: a body may be made of nothing but ends of heads. */
const MOST_PIECES = 16

/** Answers a request; resolves when the answer is handed to the connection. */
export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<unknown>

interface ConnectionsDeps {
  clock: Clock
  trustsProxy?: TrustsProxy
  /** The address of a request's client, as a trusted proxy tells it. */
  addressOf?: (incoming: IncomingMessage) => string
  bounds?: Bounds
  slots?: number
  closed?: (reason: ClosedFor) => void
}

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
export class Connections {
  readonly #clock: Clock
  readonly #trustsProxy: TrustsProxy
  readonly #addressOf: (incoming: IncomingMessage) => string
  readonly #admission: Admission<Connection>
  readonly #slots: Slots<Connection>
  readonly #bySocket = new WeakMap<Duplex, Connection>()
  readonly #heldOff = new Set<Connection>()
  readonly #events = {
    received: (connection: Connection, bytes: Buffer) => {
      connection.held = connection.held ? Buffer.concat([connection.held, bytes]) : bytes
      this.#goOn(connection)
    },
    ended: (connection: Connection) => this.#goOn(connection),
  }
  /** Otherwise all that a connection holds would be answered before any other connection is read. */
  readonly #goOnLater = createLater<Connection>((connection) => this.#goOn(connection))
  #answer: Answer = async () => undefined
  /** Requests that are parsed and not answered. */
  #open = 0
  #isFinishing = false
  #onIdle: () => void = () => undefined
  #isLooking = false
  #unreadLookedAt: number

  constructor(deps: ConnectionsDeps) {
    const { clock, bounds = BOUNDS, slots = SLOTS, closed = () => undefined } = deps
    this.#clock = clock
    this.#trustsProxy = deps.trustsProxy ?? NO_PROXY
    this.#addressOf = deps.addressOf ?? (({ socket }) => socket.remoteAddress ?? '')
    this.#admission = new Admission(clock, bounds, closed)
    this.#slots = new Slots(slots, clock, (connection) => this.#begin(connection))
    this.#unreadLookedAt = clock.elapsed()
  }

  /** Takes over the connections of a server, which answers by `answer`. */
  serve(server: Server, answer: Answer) {
    this.#answer = answer
    server.on('connection', (socket) => this.#admit(socket))
    server.on('request', (incoming, response) => this.#request(incoming, response))
    // WebSocket and CONNECT.
    for (const event of ['upgrade', 'connect'])
      server.prependListener(event, (_: IncomingMessage, stream: Duplex) => this.#handOver(stream))
  }

  /** A connection's answers that are not written yet, in order, and the newest. */
  answersOf(socket: Duplex): Pick<Connection, 'responses' | 'newest'> | undefined {
    return this.#bySocket.get(socket)
  }

  /** The request has a good token of this partner: from now on, the connection takes the partner's turns. */
  belongsTo({ socket }: IncomingMessage, clientId: string) {
    const connection = this.#bySocket.get(socket)
    if (connection && connection.clientId !== clientId) this.#admission.belongsTo(connection, clientId)
  }

  /**
   * Call this when the request waits for something. Frees its slot, and extends the socket's timeout by `ms`. The signal is
   * aborted when the client sends no more.
   */
  rests({ socket }: IncomingMessage, ms: number): AbortSignal | undefined {
    const connection = this.#bySocket.get(socket)
    if (connection) this.#slots.giveBack(connection)
    return connection?.rests(ms)
  }

  /**
   * Call this when the limit has refused a stranger's request. Reads no further request of the connection for so many
   * seconds, at most LONGEST_OFF_S. Does nothing for a trusted proxy, whose next request may be another client's.
   */
  holdOff({ socket }: IncomingMessage, seconds: number) {
    const connection = this.#bySocket.get(socket)
    if (!connection || connection.isProxy) return
    connection.offUntil = this.#clock.elapsed() + Math.min(seconds, LONGEST_OFF_S) * 1_000
    this.#heldOff.add(connection)
  }

  /** The server answers what was asked, and stops. */
  isFinishing(): boolean {
    return this.#isFinishing
  }

  /** Reads no new request; resolves when all that were read are answered. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    if (this.#open > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }

  #admit(socket: Socket) {
    const address = plainAddress(socket.remoteAddress ?? '')
    const peer = { socket, network: networkOf(address), isProxy: this.#trustsProxy(address) }
    const connection = new Connection(peer, this.#events)
    // An address is unknown when the client has already gone.
    if (address === '' || !this.#admission.admits(connection)) return void socket.destroy()
    this.#bySocket.set(socket, connection)
    connection.takeOver()
    socket.on('close', () => this.#close(connection))
    if (!this.#isLooking) this.#lookLater()
  }

  /** Lets the next parsed request start, and feeds the held bytes as far as they may go. */
  #goOn(connection: Connection) {
    if (connection.phase !== 'open') return
    this.#startNext(connection)
    const pieces = this.#feed(connection)
    const isWhole = connection.responses[0]?.req.complete
    // While the rest of a body is on its way, the slot is another's.
    if (isWhole === false) this.#slots.giveBack(connection)
    else if (isWhole) this.#admission.requestReceived(connection)
    if (connection.held && pieces === MOST_PIECES) this.#goOnLater(connection)
    connection.pauseOrResume()
    connection.passEndOn()
  }

  #startNext(connection: Connection) {
    if (connection.mayStart(this.#clock)) this.#takeTurn(connection)
  }

  /** Returns the number of pieces. What the parser calls meanwhile does not feed. */
  #feed(connection: Connection): number {
    connection.phase = 'feeding'
    let pieces = 0
    for (; connection.held && pieces < MOST_PIECES && this.#mayFeed(connection); pieces += 1)
      connection.parsePiece()
    if (connection.phase === 'feeding') connection.phase = 'open'
    return pieces
  }

  #mayFeed(connection: Connection): boolean {
    const may = connection.mayParse(this.#clock, this.#isFinishing)
    if (may === 'in_turn') this.#takeTurn(connection)
    return may === 'yes' || (may === 'in_turn' && connection.turn === 'working')
  }

  #takeTurn(connection: Connection) {
    const { clientId, network, isProxy, responses } = connection
    const [first] = responses
    const owner = isProxy && first ? networkOf(this.#addressOf(first.req)) : (clientId ?? network)
    this.#slots.take(connection, owner)
  }

  /** The connection has got a slot. */
  #begin(connection: Connection) {
    const [first] = connection.responses
    if (connection.phase === 'over' || !first || !connection.socket.writable)
      return this.#slots.giveBack(connection)
    if (!connection.isStarted) {
      connection.isStarted = true
      void this.#answer(first.req, first).then(() => {
        if (connection.responses[0] === first) this.#slots.giveBack(connection)
      })
    }
    this.#goOn(connection)
  }

  /** The server has parsed the head of a request. */
  #request(incoming: IncomingMessage, response: ServerResponse) {
    const connection = this.#bySocket.get(incoming.socket)
    if (!connection) return void this.#answer(incoming, response)
    connection.newest = response
    connection.responses.push(response)
    response.on('close', () => this.#answered(connection))
    this.#open += 1
    const mayBegin =
      !connection.isProxy || this.#admission.beginsFor(connection, networkOf(this.#addressOf(incoming)))
    if (mayBegin) this.#startNext(connection)
  }

  /** The answer is written, or the connection is closed. */
  #answered(connection: Connection) {
    const { responses } = connection
    if (!responses.shift()) return
    connection.isStarted = false
    this.#slots.giveBack(connection)
    this.#admission.requestAnswered(connection)
    if (responses.length > 0 || connection.held || connection.hasEnded) this.#goOnLater(connection)
    this.#requestsEnded(1)
  }

  #close(connection: Connection) {
    connection.phase = 'over'
    connection.held = undefined
    this.#heldOff.delete(connection)
    this.#admission.leaves(connection)
    this.#slots.giveBack(connection)
    this.#requestsEnded(connection.responses.splice(0).length)
  }

  #requestsEnded(count: number) {
    this.#open -= count
    if (this.#open === 0) this.#onIdle()
  }

  #handOver(stream: Duplex) {
    const connection = this.#bySocket.get(stream)
    if (!connection) return
    this.#admission.leaves(connection)
    connection.handOver()
  }

  #lookLater() {
    this.#isLooking = true
    this.#clock.after(LOOK_EVERY_MS, () => this.#look())
  }

  #look() {
    const now = this.#clock.elapsed()
    this.#slots.takeBackLate()
    for (const connection of this.#heldOff) {
      if (connection.isOff(this.#clock)) continue
      this.#heldOff.delete(connection)
      this.#goOnLater(connection)
    }
    if (now - this.#unreadLookedAt >= UNREAD_EVERY_MS) {
      this.#unreadLookedAt = now
      this.#admission.cutUnread()
    }
    this.#isLooking = false
    if (this.#admission.count > 0) this.#lookLater()
  }
}
