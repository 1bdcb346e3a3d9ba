import { serve } from '@hono/node-server'
import { Hono } from 'hono'

/** The floor under every callback: a Hono server that parses the same body and sends it back, and nothing else. */
const app = new Hono()
app.post('/callback', async (c) => c.json(await c.req.json()))

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
