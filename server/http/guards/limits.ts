import type { Context } from 'hono'
import type { Clock } from '../../platform/clock.ts'
import { HubError } from '../../platform/errors.ts'
import { networkOf } from '../../platform/net/address.ts'
import { type BucketSize, createTokenBuckets, type TokenBuckets } from '../../platform/token-buckets.ts'
import type { Connections } from '../connections/connections.ts'
import { publicError } from '../errors/catalogue.ts'
import { type AddressOf, type HttpEnv, incomingOf } from '../response/env.ts'

/** What is reported to the server's connections about their requests. */
export type KnownRequests = Pick<Connections, 'belongsTo' | 'rests' | 'holdOff' | 'isFinishing'>

interface LimitDeps {
  /** By client id. */
  requestLimit: RequestLimit
  /** By network. */
  anonymousLimit: RequestLimit
  addressOf: AddressOf
  /** Without a server there are none. */
  connections?: KnownRequests | undefined
}

/** The one quota's name in the headers. */
const POLICY = '"partner"'

export type Limits = ReturnType<typeof createLimits>

/** Counts each request once: against its partner, or against its network when nobody has proven who it is. */
export function createLimits({ requestLimit, anonymousLimit, addressOf, connections }: LimitDeps) {
  const policy = `${POLICY};q=${requestLimit.rate.burst};w=${requestLimit.windowS}`

  /**
   * Sets the headers of draft-ietf-httpapi-ratelimit-headers-11: q requests at once, restored in w seconds; r requests
   * are left, and the next one is added in t seconds. Retry-After equals t, as section 6 requires.
   */
  function takePartner(c: Context<HttpEnv>, clientId: string): HubError | undefined {
    const { allowed, remaining, nextInS } = requestLimit.take(clientId)
    c.set('isCounted', true)
    c.header('RateLimit-Policy', policy)
    c.header('RateLimit', `${POLICY};r=${remaining};t=${nextInS}`)
    return allowed ? undefined : new HubError('RATE_LIMITED', { retryAfterS: nextInS })
  }

  function takeStranger(c: Context<HttpEnv>): HubError | undefined {
    const { allowed, nextInS } = anonymousLimit.take(network(c))
    c.set('isCounted', true)
    if (allowed) return undefined
    const incoming = incomingOf(c)
    if (incoming) connections?.holdOff(incoming, nextInS)
    return new HubError('RATE_LIMITED', { retryAfterS: nextInS })
  }

  const network = (c: Context<HttpEnv>) => networkOf(addressOf(c))

  return {
    /** The hub stops: what goes on for long must end. */
    isStopping: () => connections?.isFinishing() ?? false,
    /** The network that sends the request. */
    networkOf: network,
    /** Notes who sends the request. */
    known(c: Context<HttpEnv>, clientId: string) {
      c.set('clientId', clientId)
      const incoming = incomingOf(c)
      if (incoming) connections?.belongsTo(incoming, clientId)
    },
    /**
     * The request waits up to `ms` for something, and frees its slot meanwhile. The signal is aborted when the client has
     * gone.
     */
    rests(c: Context<HttpEnv>, ms: number): AbortSignal {
      const incoming = incomingOf(c)
      const ended = incoming && connections?.rests(incoming, ms)
      const { signal } = c.req.raw
      return ended ? AbortSignal.any([signal, ended]) : signal
    },
    /** Counts a request of a known partner, or of a stranger; throws RATE_LIMITED when the quota is used up. */
    admit(c: Context<HttpEnv>) {
      const limited = take(c)
      if (limited) throw limited
    },
    /**
     * The error to answer with. A refused request that no limit has counted yet counts now, because it was work, too:
     * beyond the limit it gets RATE_LIMITED. A failure of the hub stays one.
     */
    refused(c: Context<HttpEnv>, error: HubError): HubError {
      if (c.get('isCounted') || publicError(error.kind).status >= 500) return error
      return take(c) ?? error
    },
  }

  function take(c: Context<HttpEnv>): HubError | undefined {
    const clientId: string | undefined = c.get('clientId')
    return clientId === undefined ? takeStranger(c) : takePartner(c, clientId)
  }
}

/** The largest error of a sum of fractions. */
const ROUNDING_S = 1e-9

export type RequestLimit = ReturnType<typeof createRequestLimit>

/** A limit of requests for each key: `perSecond` on average, `burst` at once. */
export function createRequestLimit(
  clock: Clock,
  rate: BucketSize,
  buckets: TokenBuckets = createTokenBuckets(clock, rate),
) {
  return {
    rate,
    /** Seconds until a used-up burst is whole again, rounded up. */
    windowS: Math.ceil(rate.burst / rate.perSecond),
    /** Counts a request; a refused one uses no quota. `nextInS`: seconds until one more request is left, rounded up. */
    take(key: string) {
      const { allowed, remaining, nextInMs } = buckets.take(key)
      return { allowed, remaining, nextInS: Math.ceil(nextInMs / 1000 - ROUNDING_S) }
    },
  }
}
