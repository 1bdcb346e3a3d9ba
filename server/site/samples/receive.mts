// Receives webhooks: verifies each, takes none twice, and answers 204. It needs the package of hub.mts.
// WEBHOOK_SECRET='whsec_...' node receive.mts
import { createServer, type IncomingMessage } from 'node:http'
import { verifyWebhook, WebhookError } from 'soundbox-hub-client'

const MOST_BYTES = 65_536
const secret = process.env.WEBHOOK_SECRET ?? ''
if (!/^whsec_.{32}/.test(secret)) throw new Error('WEBHOOK_SECRET is not the secret of a webhook')

// Your database does it better: the id is unique, in the transaction that does the work.
const seen = new Set<string>()
function isNew(id: string): boolean {
  if (seen.has(id)) return false
  for (const oldest of seen) {
    if (seen.size < 10_000) break
    seen.delete(oldest)
  }
  seen.add(id)
  return true
}

/** The status of the answer. */
async function receive(request: IncomingMessage): Promise<number> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= MOST_BYTES) chunks.push(chunk)
  }
  if (size > MOST_BYTES) return 400
  // What arrived, byte by byte: JSON that is written anew is not signed.
  const body = Buffer.concat(chunks)
  try {
    const event = await verifyWebhook(request.headers, body, secret)
    // Store it here and work on it later: the hub waits 15 seconds, and takes a 204 for "stored".
    if (isNew(event.id)) console.log(body.toString())
    return 204
  } catch (error) {
    if (error instanceof WebhookError) return error.status
    throw error
  }
}

const server = createServer(async (request, response) => {
  try {
    response.writeHead(await receive(request)).end()
  } catch (error) {
    // The sender broke off, or the work failed: without a 2xx the event comes again.
    console.error(error)
    if (!response.headersSent) response.writeHead(500).end()
  }
})
const port = Number(process.env.PORT ?? 3000)
server.listen(port, '127.0.0.1', () => console.log(`Waiting for webhooks on port ${port}`))
