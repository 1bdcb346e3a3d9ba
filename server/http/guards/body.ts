import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HubError } from '../../platform/errors.ts'
import type { HttpEnv } from '../response/env.ts'
import type { Check } from './check.ts'

/** The largest body; the largest valid one is a few KiB. */
export const MAX_BODY_BYTES = 16 * 1024

/** JSON is UTF-8; a sender may say so. */
const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*(charset="?utf-8"?[ \t]*)?)*$/i

function tooLarge(): never {
  throw new HubError('PAYLOAD_TOO_LARGE')
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
