import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { load } from './load.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Answers the first `count` requests with 200 and the others with 503. Counts them. */
async function serve(well: number) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    asked.push(body)
    response.writeHead(asked.length > well ? 503 : 200, { 'Content-Length': 6 }).end('answer')
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  return { asked, url: `http://127.0.0.1:${port}/callback` }
}

function bodies() {
  let count = 0
  return () => {
    count += 1
    return `body ${count}`
  }
}

it('sends the given number of requests, each with its own body', async () => {
  const { asked, url } = await serve(200)
  const { perSecond } = await load({ url, pids: [process.pid], headers: {}, body: bodies() }, { amount: 200 })
  expect(new Set(asked).size).toBe(200)
  expect(asked).toHaveLength(200)
  expect(perSecond).toBeGreaterThan(0)
})

it('returns no figures if one request fails', async () => {
  const { url } = await serve(199)
  const asked = load({ url, pids: [process.pid], headers: {}, body: bodies() }, { amount: 200 })
  await expect(asked).rejects.toThrow('answered HTTP/1.1 503')
})
