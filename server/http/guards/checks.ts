import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { fieldError, HubError } from '../../platform/errors.ts'
import type { HttpEnv } from '../response/env.ts'

/** Examines a request before its handler; throws when it must be refused. */
export type Check = (c: Context<HttpEnv>) => void | Promise<void>

/** Runs checks in order. Most have nothing to wait for, and a wait costs a callback more than such a check. */
export async function runChecks(checks: readonly Check[], c: Context<HttpEnv>) {
  for (const check of checks) {
    const pending = check(c)
    if (pending) await pending
  }
}

/** The client id that an access token belongs to; throws when the token is not valid. */
export type Authenticate = (accessToken: string) => Promise<string>

const NOT_BEARER = 'must be the word Bearer, a space and an access token'
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i

/** Refuses a request whose x-client-id is not the client that it is authenticated as. */
export function checkClaim(c: Context<HttpEnv>, clientId: string) {
  const claimed = c.req.header('x-client-id')
  if (claimed !== undefined && claimed !== clientId) throw new HubError('CLIENT_ID_MISMATCH')
}

/** Requires a valid access token. `known` is called with its client. */
export function authenticated(
  authenticate: Authenticate,
  known: (c: Context<HttpEnv>, clientId: string) => void,
): Check {
  return async function checkToken(c) {
    const header = c.req.header('authorization')
    if (header === undefined) throw new HubError('MISSING_CREDENTIALS')
    const token = BEARER.exec(header)?.[1]
    if (token === undefined) throw fieldError('INVALID_TOKEN', 'Authorization', NOT_BEARER)
    const clientId = await authenticate(token)
    checkClaim(c, clientId)
    known(c, clientId)
  }
}

/** The largest body; the largest valid one is a few KiB. */
export const MAX_BODY_BYTES = 16 * 1024

/** JSON is UTF-8; a sender may say so. */
const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*(charset="?utf-8"?[ \t]*)?)*$/i

function tooLarge(): never {
  throw new HubError('PAYLOAD_TOO_LARGE')
}

/** Of a bank's statement. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024
const FILE_TYPE = /^(text\/csv|application\/xml|text\/xml|application\/octet-stream)[ \t]*(;.*)?$/i
const countedFile = bodyLimit({ maxSize: MAX_FILE_BYTES, onError: tooLarge })

/** Reads a file, and sets `file`. Its encoding is in the file, or known from elsewhere. */
export const fileBody: Check = async (c) => {
  const encoding = c.req.header('content-encoding')?.toLowerCase() ?? 'identity'
  if (!FILE_TYPE.test(c.req.header('content-type') ?? '') || encoding !== 'identity')
    throw new HubError('UNSUPPORTED_MEDIA_TYPE')
  if (Number(c.req.header('content-length') ?? 0) > MAX_FILE_BYTES) tooLarge()
  await unbroken(() => countedFile(c, async () => undefined))
  c.set('file', new Uint8Array(await unbroken(() => c.req.arrayBuffer())))
}

const countedBody = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge })

/**
 * Refuses a body that is too large, before or while it is read. A declared length suffices, because Node reads no
 * more than that; counting the bytes of the body's stream would cost more than all other checks.
 */
export const limitedBody: Check = (c) => {
  const declared = c.req.header('content-length')
  if (declared === undefined || c.req.header('transfer-encoding') !== undefined) return countBody(c)
  return Number(declared) > MAX_BODY_BYTES ? tooLarge() : undefined
}

async function countBody(c: Context<HttpEnv>) {
  await unbroken(() => countedBody(c, async () => undefined))
}

/**
 * Parses a JSON object in UTF-8, and sets `body`. Ill-formed UTF-8 is refused: a replacement character would silently
 * break the checksum.
 */
export const jsonBody: Check = async (c) => {
  const encoding = c.req.header('content-encoding')?.toLowerCase() ?? 'identity'
  // The limit cannot know the size of a compressed body.
  if (!JSON_TYPE.test(c.req.header('content-type') ?? '') || encoding !== 'identity')
    throw new HubError('UNSUPPORTED_MEDIA_TYPE')
  c.set('body', parseObject(await unbroken(() => c.req.arrayBuffer())))
}

/** Reads a body that an operation does not need, for the hash of the whole request. */
export const wholeBody: Check = async (c) => {
  await limitedBody(c)
  await unbroken(() => c.req.arrayBuffer())
}

/** Reads a body. A client that disconnects meanwhile has sent malformed HTTP: that is no failure of the hub. */
export async function unbroken<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof HubError ? error : new HubError('MALFORMED_HTTP', { cause: error })
  }
}

/** It has no state between two calls. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseObject(bytes: ArrayBuffer): object {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch {
    throw new HubError('MALFORMED_JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HubError('MALFORMED_JSON')
  return value
}
