import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HubError } from '../../platform/errors.ts'
import type { HttpEnv } from '../response/env.ts'
import type { Check } from './check.ts'

/** The largest body; the largest valid one is a few KiB. */
export const MAX_BODY_BYTES = 16 * 1024

/** No wider than what the validators behind it take for JSON. */
const JSON_TYPE = /^application\/json(;\s*charset="?utf-8"?)?$/i

function tooLarge(): never {
  throw new HubError('PAYLOAD_TOO_LARGE')
}

const countedBody = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge })

/**
 * Refuses a body that is too large, before and while it is read. A declared length is enough, because Node
 * reads no further than that; touching the body's stream to count it would cost more than the whole check.
 */
export const limitedBody: Check = (c) => {
  const declared = c.req.header('content-length')
  if (declared === undefined || c.req.header('transfer-encoding') !== undefined) return counted(c)
  return Number(declared) > MAX_BODY_BYTES ? tooLarge() : undefined
}

async function counted(c: Context<HttpEnv>) {
  await unbroken(() => countedBody(c, async () => undefined))
}

/**
 * Reads a JSON object in UTF-8. Ill-formed UTF-8 is refused instead of replaced, because a replaced character would
 * break the checksum without a word.
 */
export async function readObject(c: Context<HttpEnv>): Promise<object> {
  if (!JSON_TYPE.test(c.req.header('content-type') ?? '')) throw new HubError('UNSUPPORTED_MEDIA_TYPE')
  if (!isPlain(c.req.header('content-encoding'))) throw new HubError('UNSUPPORTED_MEDIA_TYPE')
  return parseObject(await unbroken(() => c.req.arrayBuffer()))
}

/** As `readObject`, for the validators behind it. */
export const jsonBody: Check = async (c) => {
  const value = await readObject(c)
  // Where the validators ask for the body: it was read, checked and parsed here, once.
  Object.assign(c.req, { json: async () => value })
}

/** What is compressed has no size that the limit could know of. */
function isPlain(encoding: string | undefined): boolean {
  return encoding === undefined || encoding.toLowerCase() === 'identity'
}

/** Reads a body; whoever leaves in the middle of it is no failure of ours. */
export async function unbroken<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof HubError ? error : new HubError('MALFORMED_HTTP', { cause: error })
  }
}

/** Keeps nothing between two whole texts. */
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
