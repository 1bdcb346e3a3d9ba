import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { requestAddress, type TrustsProxy } from '../../platform/net/address.ts'

/** What the server gives for a request, and the variables that middlewares set for the handlers. */
export interface HttpEnv {
  Bindings: { incoming?: IncomingMessage }
  Variables: {
    requestId: string
    /** The response already carries every common header; see `completeJson`. */
    isComplete: boolean | undefined
    /** The partner that the access token belongs to; set by the guards. */
    clientId: string
    /** A limit has counted this request; set by the guards. */
    isCounted: boolean | undefined
    /** The parsed body; set by `jsonBody`. */
    body: object
    /** The bytes of a file; set by `fileBody`. */
    file: Uint8Array
    /** The error of the response; set by `respondWithError`. */
    refusal: { code: number; error: string } | undefined
  }
}

/** The server's message; undefined when the app is called without a server, where Hono leaves out `env` too. */
export function incomingOf(c: Context<HttpEnv>): IncomingMessage | undefined {
  const env: HttpEnv['Bindings'] | undefined = c.env
  return env?.incoming
}

/** The address of a request's client; empty when the app is called without a server. */
export type AddressOf = (c: Context<HttpEnv>) => string

export function addressBehind(trusts: TrustsProxy): AddressOf {
  return (c) => {
    const incoming = incomingOf(c)
    return incoming ? requestAddress(incoming, trusts) : ''
  }
}
