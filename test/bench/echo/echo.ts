import { serve } from '@hono/node-server'
import { Hono } from 'hono'

/** The baseline for callbacks: a Hono server that parses the same body and echoes it. */
const app = new Hono()
app.post('/callback', async (c) => c.json(await c.req.json()))

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
