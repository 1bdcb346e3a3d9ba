import { once } from 'node:events'
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'

/** Answers the first `well` requests with 200 and the others with 503. Lists their bodies. */
export async function serve(well: number) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    asked.push(body)
    response.writeHead(asked.length > well ? 503 : 200, { 'Content-Length': 6 }).end('answer')
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  return { asked, url: `http://127.0.0.1:${port}/callback` }
}

export function bodies() {
  let count = 0
  return () => {
    count += 1
    return `body ${count}`
  }
}
