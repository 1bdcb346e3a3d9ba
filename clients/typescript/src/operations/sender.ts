import { type Caller, type CallInput, createCaller } from '../calls/call.ts'
import { type Clock, systemClock } from '../calls/clock.ts'
import type { OperationName } from '../calls/errors.ts'
import type { CallOptions, HubClientOptions } from '../calls/options.ts'
import type { Operations } from '../generated/operations.ts'
import { checksum, type SignedFields } from './checksum.ts'
import { wholeCsv } from './lists.ts'

export type Body<Name extends OperationName> = Operations[Name]['body']
export type Query<Name extends OperationName> = Operations[Name]['query'] | undefined
export type Answer<Name extends OperationName> = Promise<Operations[Name]['answer']>
export type Rows<Name extends OperationName> = AsyncGenerator<
  Operations[Name]['answer'] extends { data: (infer Row)[] } ? Row : never,
  void,
  undefined
>

const TIME_LIMIT_MS = 60_000
/** A hub needs up to 5 s for a code on a screen. */
const ATTEMPT_LIMIT_MS = 20_000

/**
 * Sends the operations of a client. Each subject of operations is a class that extends the one before it: a client has
 * the operations of all, and only this class knows the secret.
 */
export class Sender {
  readonly #call: Caller
  readonly #clientSecret: string
  readonly #clientId: string
  protected readonly clock: Clock
  protected readonly attemptLimitMs: number

  constructor({ url, clientId, clientSecret, ...options }: HubClientOptions) {
    const { clock = systemClock, attemptLimitMs = ATTEMPT_LIMIT_MS } = options
    this.#clientId = clientId
    this.#clientSecret = clientSecret
    this.clock = clock
    this.attemptLimitMs = attemptLimitMs
    this.#call = createCaller({
      url,
      clientId,
      clientSecret,
      clock,
      attemptLimitMs,
      timeLimitMs: options.timeLimitMs ?? TIME_LIMIT_MS,
      // In a page, fetch works as a function of the page alone.
      fetch: options.fetch ?? ((...request) => fetch(...request)),
      random: options.random ?? Math.random,
      onAttempt: options.onAttempt ?? (() => undefined),
    })
  }

  /** Gets a token. Other calls get theirs by themselves: this one is for other programs. */
  getAccessToken(options?: CallOptions) {
    const body = { clientId: this.#clientId, clientSecret: this.#clientSecret }
    return this.send('getAccessToken', { body }, options)
  }

  /** Renews a token of `getAccessToken`. */
  refreshAccessToken(body: Body<'refreshAccessToken'>, options?: CallOptions) {
    return this.send('refreshAccessToken', { body }, options)
  }

  /** The checksum of a payment under the client secret, in hex. */
  protected sign(payment: SignedFields): Promise<string> {
    return checksum(payment, this.#clientSecret)
  }

  protected send<Name extends OperationName>(
    name: Name,
    input: CallInput & { body?: Body<Name>; query?: Query<Name> },
    options?: CallOptions,
  ): Answer<Name> {
    // The hub is tested against the description that the types are made of.
    return this.#call(name, input, options) as Answer<Name>
  }

  protected csv<Name extends OperationName>(
    name: Name,
    query: Query<Name>,
    options?: CallOptions,
    path?: Record<string, string>,
  ): Promise<string> {
    const input = { path, query, accept: 'text/csv', read: wholeCsv }
    return this.#call(name, input, options) as Promise<string>
  }
}
