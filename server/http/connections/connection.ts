import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../platform/clock.ts'
import type { Guest } from './admission.ts'
import type { Worker } from './slots.ts'

/** What a connection reports. */
interface ConnectionEvents {
  received(connection: Connection, bytes: Buffer): void
  /** The client sends no more. */
  ended(connection: Connection): void
}

/**
 * One connection of an HTTP server: its requests, and the bytes behind them. Its listeners for the socket stand in the
 * place of Node's own, which are Node's parser. A class, because the hub keeps a connection for each client: methods
 * take no memory of each.
 */
export class Connection implements Guest, Worker {
  readonly socket: Socket
  readonly network: string
  readonly isProxy: boolean
  countsFor: string | undefined
  clientId: string | undefined
  held: Buffer | undefined
  turn: Worker['turn'] = 'none'
  workingSince = 0
  /** `feeding`: the parser has its bytes, and what it calls does not feed. `over`: closed, or no longer HTTP. */
  phase: 'open' | 'feeding' | 'over' = 'open'
  /** The answers of the parsed requests that are not written yet, in order. Only the first is with the app. */
  readonly responses: ServerResponse[] = []
  /** The answer of the last parsed request, written or not. */
  newest: ServerResponse | undefined
  /** The app has the first request. */
  isStarted = false
  /** Its next request is not read before, on the clock's `elapsed`. */
  offUntil = 0
  /** The client sends no more, and the parser does not know it yet. */
  hasEnded = false
  /** Of the last request that has waited for something: aborted when the client sends no more. */
  #rest: { of: ServerResponse | undefined; gone: AbortController } | undefined
  #isPaused = false
  readonly #parse: (bytes: Buffer) => void
  readonly #parseEnd: () => void
  readonly #onData: (bytes: Buffer) => void
  readonly #onEnd: () => void

  constructor(peer: Pick<Connection, 'socket' | 'network' | 'isProxy'>, events: ConnectionEvents) {
    this.socket = peer.socket
    this.network = peer.network
    this.isProxy = peer.isProxy
    this.#parse = parserOf(peer.socket, 'data')
    this.#parseEnd = parserOf(peer.socket, 'end')
    this.#onData = (bytes) => events.received(this, bytes)
    this.#onEnd = () => {
      this.hasEnded = true
      this.#rest?.gone.abort()
      events.ended(this)
    }
  }

  /** Puts its listeners in the place of Node's own. */
  takeOver() {
    this.socket.removeListener('data', this.#parse).on('data', this.#onData)
    this.socket.removeListener('end', this.#parseEnd).on('end', this.#onEnd)
  }

  /** The socket is another's, with the bytes that followed. */
  handOver() {
    const { socket, held } = this
    this.phase = 'over'
    this.held = undefined
    socket.removeListener('data', this.#onData).removeListener('end', this.#onEnd)
    // After its end, `unshift` is an error of the socket, and nobody listens for errors yet.
    if (held && !socket.readableEnded) socket.unshift(held)
  }

  isOff(clock: Pick<Clock, 'elapsed'>): boolean {
    return this.offUntil !== 0 && clock.elapsed() < this.offUntil
  }

  /** Whether the first parsed request may begin. */
  mayStart(clock: Pick<Clock, 'elapsed'>): boolean {
    return this.responses.length > 0 && !this.isStarted && !this.isOff(clock)
  }

  /** Whether the parser may have more bytes; `in_turn`: the rest of a body, for which the connection needs a slot. */
  mayParse(clock: Pick<Clock, 'elapsed'>, isFinishing: boolean): 'yes' | 'in_turn' | 'no' {
    const [first, second] = this.responses
    if (this.phase === 'over' || !this.socket.writable) return 'no'
    if (first) return first.req.complete || second ? 'no' : 'in_turn'
    // A request that is answered early still has its body to send.
    const isBody = this.newest?.req.complete === false
    return isBody || !(isFinishing || this.isOff(clock)) ? 'yes' : 'no'
  }

  /** Gives the next piece of the held bytes to Node's parser. */
  parsePiece() {
    if (!this.held) return
    const [piece, rest] = nextPiece(this.held)
    this.held = rest
    this.#parse(piece)
  }

  /** Reads on when nothing is held. */
  pauseOrResume() {
    const { socket } = this
    // Nothing can be answered any more: what still comes is read and dropped.
    if (!socket.writable || this.phase === 'over') this.held = undefined
    else if (this.held) {
      this.#isPaused = true
      socket.pause()
    } else if (this.#isPaused) {
      this.#isPaused = false
      socket.resume()
    }
  }

  /** Passes the end of the socket to Node's parser once all whole requests are answered: Node drops the others then. */
  passEndOn() {
    const { hasEnded, held, responses, newest, phase } = this
    if (!hasEnded || held || phase === 'over' || (responses.length > 0 && newest?.req.complete)) return
    this.hasEnded = false
    this.#parseEnd()
  }

  /** The first request waits for something, up to `ms`. The signal is aborted when the client sends no more. */
  rests(ms: number): AbortSignal {
    const [of] = this.responses
    if (this.#rest && this.#rest.of === of) return this.#rest.gone.signal
    // Node sets it anew for the next request.
    if (this.socket.timeout) this.socket.setTimeout(this.socket.timeout + ms)
    const gone = new AbortController()
    this.#rest = { of, gone }
    if (this.hasEnded) gone.abort()
    return gone.signal
  }
}

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Splits off what is parsed next: everything, when it holds the end of one head at most, else the first head. An end
 * that is split between two reads is missed, so that the parser may be one request ahead.
 */
function nextPiece(bytes: Buffer): [piece: Buffer, rest: Buffer | undefined] {
  const first = bytes.indexOf(HEAD_END)
  const length = first + HEAD_END.length
  const isWhole = first < 0 || length === bytes.length || bytes.indexOf(HEAD_END, length) < 0
  return isWhole ? [bytes, undefined] : [bytes.subarray(0, length), bytes.subarray(length)]
}

/** The listener that Node adds for an event of a socket; it has the type of every such listener. */
function parserOf(socket: Socket, event: 'data' | 'end'): (bytes?: Buffer) => void {
  const listener = socket.listeners(event).at(-1)
  if (!listener)
    throw new Error(`Node.js parses HTTP without a listener for ${event}: connection.ts must follow`)
  return listener as (bytes?: Buffer) => void
}
