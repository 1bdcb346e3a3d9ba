import { createHmac } from 'node:crypto'

/** Secrets begin so; the rest is base64. */
const PREFIX = 'whsec_'

/** One attempt to deliver a message. */
export interface WebhookAttempt {
  /** The same at every attempt of a message, so that a receiver can detect repeats. */
  id: string
  /** When the attempt is made, milliseconds. */
  at: number
  body: string
}

/**
 * The headers of a webhook by Standard Webhooks 1.0.0 (https://www.standardwebhooks.com, "Webhook metadata" and "Signature
 * scheme"): HMAC-SHA256 over `{id}.{timestamp}.{body}`, the timestamp in seconds. Each secret is `whsec_` and base64. With
 * several secrets there are several signatures with spaces between them, and a receiver needs to know one of the secrets.
 */
export function webhookHeaders(secrets: readonly string[], { id, at, body }: WebhookAttempt) {
  const timestamp = String(Math.floor(at / 1_000))
  const signed = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, signed)}`).join(' '),
  }
}

function signature(secret: string, signed: string): string {
  if (!secret.startsWith(PREFIX)) throw new Error(`a webhook secret starts with ${PREFIX}`)
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return createHmac('sha256', key).update(signed).digest('base64')
}
