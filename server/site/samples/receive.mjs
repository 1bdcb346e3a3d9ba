// Receives webhooks: verifies each, takes none twice, and answers 204.
// WEBHOOK_SECRET='whsec_...' node receive.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const MOST_BYTES = 65_536
const MOST_SECONDS = 300
const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace('whsec_', ''), 'base64')
if (key.length < 24) throw new Error('WEBHOOK_SECRET is not the secret of a webhook')

/** While a secret is replaced there are two signatures, with a space between them: one must be right. */
function isSigned(id, timestamp, body, signatures) {
  const right = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  return signatures.split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',')
    const given = Buffer.from(text, 'base64')
    return version === 'v1' && given.length === right.length && timingSafeEqual(given, right)
  })
}

// Your database does it better: the id is unique, in the transaction that does the work.
const seen = new Set()
function isNew(id) {
  if (seen.has(id)) return false
  if (seen.size === 10_000) seen.delete(seen.values().next().value)
  seen.add(id)
  return true
}

/** The status of the answer. `body` is what arrived, byte by byte: JSON that is written anew is not signed. */
function receive(headers, body) {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp'] ?? ''
  const signatures = headers['webhook-signature']
  if (!id || !signatures || !/^\d{1,12}$/.test(timestamp)) return 400
  if (!isSigned(id, timestamp, body, signatures)) return 401
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > MOST_SECONDS) return 401
  // Store it here and work on it later: the hub waits 15 seconds, and takes a 204 for "stored".
  if (isNew(id)) console.log(body.toString())
  return 204
}

const server = createServer(async (request, response) => {
  try {
    const chunks = []
    let size = 0
    for await (const chunk of request) {
      size += chunk.length
      if (size <= MOST_BYTES) chunks.push(chunk)
    }
    const status = size > MOST_BYTES ? 400 : receive(request.headers, Buffer.concat(chunks))
    response.writeHead(status).end()
  } catch (error) {
    // The sender broke off, or the work failed: without a 2xx the event comes again.
    console.error(error)
    if (!response.headersSent) response.writeHead(500).end()
  }
})
const port = Number(process.env.PORT ?? 3000)
server.listen(port, '127.0.0.1', () => console.log(`Waiting for webhooks on port ${port}`))
