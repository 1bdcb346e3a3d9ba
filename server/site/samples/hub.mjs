// What the samples share: a request to the hub, and the signature of a payment. Save it as hub.mjs beside them.
import { createHmac } from 'node:crypto'

/** The fields that are signed, in this order. */
const SIGNED = [
  'terminalID',
  'bankCode',
  'billNumber',
  'transactionAmount',
  'notice',
  'payDate',
  'traceTransfer',
  'ftCode',
]

/** The hub's answer. Throws when none comes. */
export function send(path, body, { token, key } = {}) {
  const headers = { 'Content-Type': 'application/json' }
  if (token) headers.Authorization = `Bearer ${token}`
  if (key) headers['Idempotency-Key'] = key
  return fetch(new URL(`/api/v1/partner${path}`, '{{HUB}}'), {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    // A redirect would take the secret to another address.
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  })
}

/** Prints what the hub answers, and fails when it refuses. */
export async function post(path, body, options) {
  const response = await send(path, body, options)
  const answer = await response.text()
  if (response.ok) {
    console.log(answer)
  } else {
    console.error(answer)
    process.exitCode = 1
  }
}

/** The string that is signed: all eight fields, form-urlencoded, an empty one as name= */
export function canonical(payment) {
  return new URLSearchParams(SIGNED.map((name) => [name, payment[name] ?? ''])).toString()
}

export function checksum(payment, clientSecret) {
  return createHmac('sha256', clientSecret).update(canonical(payment)).digest('hex')
}
