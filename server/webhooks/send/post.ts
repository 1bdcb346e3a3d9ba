import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Clock } from '../../platform/clock.ts'
import { type AddressCheck, readTarget, refusal, type Target } from '../address.ts'
import { UNDER_WAY } from './endpoint/concurrency-limit.ts'
import { retryAfterMs } from './retry-after.ts'

/** For everything: to find the address, to connect, to send, and to read the reply. */
export const POST_MS = 15_000
/** Bytes of a reply that are read. A longer reply closes the connection. */
const MOST_READ = 4_096
/** Interim replies (1xx) to a request, and TLS sessions that a connection offers. Each costs time, and Node limits none. */
const MOST_EXTRAS = 8
/** Bytes of a reply that are kept. */
const MOST_KEPT = 256
/** After this time without a connection the next address of the name is tried. Node's own 250 ms are short for far hosts. */
const NEXT_ADDRESS_MS = 2_500
/** Below the 5 s after which many servers close an idle connection. */
const IDLE_MS = 4_000
/** Connections that are kept for the next delivery: to one host, and over all hosts. */
const MOST_IDLE = { ofHost: UNDER_WAY.most, all: 1_000 }

export interface PostRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** What became of a request. */
export interface PostResult {
  /**
   * `answered`: there is a status. `refused`: the hub does not connect to the address. `unreachable`: no connection, or no
   * reply on it.
   */
  outcome: 'answered' | 'refused' | 'timeout' | 'unreachable'
  status: number | undefined
  /** A sentence for the partner, when there is no status. It names no address. */
  error: string | undefined
  /** The first 256 bytes, read as UTF-8. */
  reply: string
  /** How long the endpoint asks to be left alone: at most 24 h. */
  retryAfterMs: number | undefined
}

/** Sends one request. It never rejects. Undefined when it was stopped by the signal. */
export type Post = (request: PostRequest, stop: AbortSignal) => Promise<PostResult | undefined>

/**
 * Sends requests to the endpoints of partners. Every connection is made to an address that was tested, also when the name
 * service says something else a moment later. A connection that is kept is used again: its address was tested, and it can
 * not change. Redirects are not followed. Certificates are verified.
 */
export function createPost(deps: AddressCheck & { clock: Clock; version: string }): {
  post: Post
  close: () => void
} {
  const { clock } = deps
  const kept = { keepAlive: true, maxFreeSockets: MOST_IDLE.ofHost, timeout: IDLE_MS }
  const [plain, tls] = [new PlainAgent(kept), new TlsAgent(kept)]
  limitIdle([plain, tls])
  const own = { 'content-type': 'application/json', 'user-agent': `Soundbox-Hub/${deps.version}` }

  return {
    async post({ url, headers, body }, stop) {
      const target = readTarget(url)
      if (typeof target === 'string') return refused(target)
      // An address is never looked up, so it is tested here.
      const why = target.isLiteral ? refusal(target, [target.host], deps.allow) : undefined
      if (why !== undefined) return refused(why)
      const isPlain = target.url.protocol === 'http:'
      const options = {
        ...{ method: 'POST', headers: { ...own, ...headers }, rejectUnauthorized: true },
        ...{ lookup: testedLookup(target, deps), autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS },
      }
      const start = (isNew: boolean) =>
        isPlain
          ? plainRequest(target.url, { ...options, agent: isNew ? new PlainAgent() : plain })
          : tlsRequest(target.url, { ...options, agent: isNew ? new TlsAgent() : tls })
      return exchange(start, body, clock, stop)
    },
    close() {
      plain.destroy()
      tls.destroy()
    },
  }
}

/** A connection that becomes idle is closed when as many are kept as may be. */
function limitIdle(agents: readonly PlainAgent[]) {
  const idle = () => agents.flatMap(({ freeSockets }) => Object.values(freeSockets))
  const count = () => idle().reduce((all, ofHost) => all + (ofHost?.length ?? 0), 0)
  for (const agent of agents) {
    const keep = agent.keepSocketAlive.bind(agent)
    agent.keepSocketAlive = (socket) => count() < MOST_IDLE.all && keep(socket)
  }
}

/** Finds the addresses of the target, and lets a connection choose among them only if all of them passed the test. */
function testedLookup(target: Target, { resolve, allow }: AddressCheck): LookupFunction {
  return (host, options, done) => {
    resolve(host).then(
      (addresses) => {
        const why = refusal(target, addresses, allow)
        if (why !== undefined) return done(new AddressRefused(), [])
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        const [first] = found
        if (!first) return done(new NoAddress(), [])
        if (options.all === true) done(null, found)
        else done(null, first.address, first.family)
      },
      () => done(new NoAddress(), []),
    )
  }
}

class AddressRefused extends Error {}
class NoAddress extends Error {}

/** Sends the body, and reads the beginning of the reply. `start` opens the request; `isNew`: on a new connection. */
function exchange(
  start: (isNew: boolean) => ClientRequest,
  body: string,
  clock: Clock,
  stop: AbortSignal,
): Promise<PostResult | undefined> {
  const { promise, resolve } = Promise.withResolvers<PostResult | undefined>()
  let request: ClientRequest | undefined
  let answer: Pick<PostResult, 'status' | 'retryAfterMs'> | undefined
  let kept: readonly Buffer[] = []
  let isOver = false

  /** A status is the answer, however the reply ends: the endpoint has seen the request. */
  function end(failure?: PostResult) {
    isOver = true
    cancel()
    stop.removeEventListener('abort', onStop)
    if (!answer) return resolve(failure)
    resolve({ outcome: 'answered', error: undefined, reply: cut(Buffer.concat(kept)), ...answer })
  }
  function abandon(failure?: PostResult) {
    end(failure)
    request?.destroy()
  }
  const tooLate = failed('timeout', `No reply came within ${POST_MS / 1_000} s.`)
  const cancel = clock.after(POST_MS, () => abandon(tooLate))
  function onStop() {
    answer = undefined
    abandon()
  }
  stop.addEventListener('abort', onStop)

  function send(isNew: boolean) {
    const sent = start(isNew)
    request = sent
    limitExtras(sent, () => abandon(failed('unreachable', 'The endpoint sends too many interim replies.')))
    // Node destroys the connection otherwise, and neither answers nor fails.
    sent.once('upgrade', ({ statusCode: status = 101 }, socket) => {
      socket.destroy()
      answer = { status, retryAfterMs: undefined }
      end()
    })
    sent.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      answer = { status, retryAfterMs: retryAfterMs(status, headers['retry-after'], clock.now()) }
      kept = keepBeginning(response, { over: end, tooLong: abandon })
    })
    sent.on('error', (error) => {
      // The endpoint has closed the kept connection while the request was on its way.
      if (sent.reusedSocket && !answer && !isNew && !isOver) return send(true)
      end(failureOf(error))
    })
    sent.end(body)
  }
  if (stop.aborted) onStop()
  else send(false)
  return promise
}

/** Ends a request, or its new connection, when the endpoint sends more besides the reply than it has to. */
export function limitExtras(request: ClientRequest, flooded: () => void) {
  request.on('information', atMost(MOST_EXTRAS, flooded))
  request.once('socket', (socket) => {
    const closed = () => socket.destroy()
    if (!request.reusedSocket) socket.on('session', atMost(MOST_EXTRAS, closed))
  })
}

/** The beginning of a reply, which grows as it comes. */
function keepBeginning(
  response: IncomingMessage,
  { over, tooLong }: { over: () => void; tooLong: () => void },
): readonly Buffer[] {
  const kept: Buffer[] = []
  let length = 0
  response.on('data', (chunk: Buffer) => {
    if (length < MOST_KEPT) kept.push(chunk.subarray(0, MOST_KEPT - length))
    length += chunk.length
    if (length > MOST_READ) tooLong()
  })
  response.on('end', () => over())
  response.on('error', () => over())
  return kept
}

/** Counts calls, and calls `more` for each beyond so many. */
function atMost(count: number, more: () => void): () => void {
  let calls = 0
  return () => {
    calls += 1
    if (calls > count) more()
  }
}

/** Control characters but tab, LF and CR: JSON writes six bytes for each. */
const CONTROLS = /[^\P{Cc}\t\n\r]/gu

/** The beginning of a reply as text, without half a character at its end, and without control characters. */
function cut(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes, { stream: true }).replaceAll(CONTROLS, '\ufffd')
  // Each byte that is not UTF-8 has become a character of three.
  const more = Buffer.from(text)
  return more.length <= MOST_KEPT ? text : cut(more.subarray(0, MOST_KEPT))
}

export function failed(outcome: PostResult['outcome'], error: string): PostResult {
  return { outcome, status: undefined, error, reply: '', retryAfterMs: undefined }
}

function refused(why: string): PostResult {
  return failed('refused', `The URL ${why}.`)
}

/** One sentence for all: with one for each, a partner could search the ports of a network with the hub. */
const NO_REPLY = 'No HTTP reply came: check the address, port, firewall and TLS of the endpoint.'
/** Also the sentence for a name without an address: two sentences would show which internal names exist. */
const NO_PUBLIC_ADDRESS = 'The host name does not lead to public addresses alone.'

function failureOf(error: Error): PostResult {
  if (error instanceof AddressRefused) return failed('refused', NO_PUBLIC_ADDRESS)
  if (error instanceof NoAddress) return failed('unreachable', NO_PUBLIC_ADDRESS)
  const code = 'code' in error ? String(error.code) : ''
  if (/CERT|UNABLE_TO_/.test(code))
    return failed('unreachable', `The TLS certificate is not trusted (${code}).`)
  return failed('unreachable', NO_REPLY)
}
