import type { EventDto } from './generated/types.ts'
import { importHmacKey } from './operations/checksum.ts'

/** Why a webhook is refused. */
export type WebhookReason = 'incomplete' | 'wrong signature' | 'too old' | 'too new' | 'no event'

/** The request is no webhook of the hub, or not one of now. It contains nothing of the request. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly reason: WebhookReason
  /** What to answer: 400 to what is incomplete, 401 to the rest. */
  readonly status: 400 | 401

  constructor(reason: WebhookReason, message: string) {
    super(message)
    this.reason = reason
    this.status = reason === 'incomplete' || reason === 'no event' ? 400 : 401
  }
}

/** The headers of a request: those of `fetch`, or those of Node.js. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookOptions {
  /** How far `webhook-timestamp` may be off, in seconds. */
  toleranceS?: number
  /** The time of day, in milliseconds since 1970. */
  now?: () => number
}

const TOLERANCE_S = 300
/** A webhook has up to two signatures. More than these are not tried: each costs an HMAC. */
const MOST_SIGNATURES = 10
const utf8 = new TextEncoder()

/**
 * Verifies a webhook, and reads its event. `body` is what arrived, byte by byte: JSON that is written anew is not signed.
 * While a secret is replaced, give both. An event comes at least once: its `id` is the same each time.
 * @throws WebhookError when it is not signed with one of the secrets, or was sent at another time.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  { toleranceS = TOLERANCE_S, now = Date.now }: WebhookOptions = {},
): Promise<EventDto> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp') ?? ''
  const given = headerOf(headers, 'webhook-signature')
  if (!id || !given || !/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('incomplete', 'webhook-id, webhook-timestamp or webhook-signature is missing')
  const bytes = typeof body === 'string' ? utf8.encode(body) : body
  const signed = joined(utf8.encode(`${id}.${timestamp}.`), bytes)
  if (!(await isSigned(signed, given, [secrets].flat())))
    throw new WebhookError('wrong signature', 'no signature is of this body under these secrets')
  const ageS = now() / 1_000 - Number(timestamp)
  if (Math.abs(ageS) > toleranceS)
    throw new WebhookError(ageS > 0 ? 'too old' : 'too new', 'webhook-timestamp is too far off')
  return eventOf(bytes)
}

async function isSigned(signed: Uint8Array<ArrayBuffer>, given: string, secrets: readonly string[]) {
  const signatures = given
    .split(' ', MOST_SIGNATURES)
    .flatMap((one) => (one.startsWith('v1,') ? (fromBase64(one.slice(3)) ?? []) : []))
  for (const secret of secrets) {
    const key = await importHmacKey(keyOf(secret).buffer, 'verify')
    // It compares in constant time.
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true
  }
  return false
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = fromBase64(secret.replace(/^whsec_/, ''))
  if (!key || key.length === 0) throw new Error('a secret of a webhook is whsec_ and base64')
  return key
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

function eventOf(bytes: Uint8Array): EventDto {
  try {
    // Its shape is the hub's, which has signed it.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as EventDto
  } catch {
    throw new WebhookError('no event', 'the body is no JSON')
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined
  // Some gateways keep the case in which a header was sent.
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'string' ? value : value?.[0]
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}
