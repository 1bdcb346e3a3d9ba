import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { listenOnFreePort } from '../../../support/listen.ts'
import { loadAtRate } from './at-rate.ts'
import { load } from './load.ts'

/** Answers the first `well` requests with 200 and the others with 503. Lists their bodies. */
async function target(well: number) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    asked.push((await request.toArray()).join(''))
    response.writeHead(asked.length > well ? 503 : 200, { 'Content-Length': 6 }).end('answer')
  })
  onTestFinished(() => void server.close())
  let count = 0
  const body = () => {
    count += 1
    return `body ${count}`
  }
  const url = `http://127.0.0.1:${await listenOnFreePort(server)}/callback`
  return { asked, target: { url, pids: [process.pid], headers: {}, body } }
}

it('sends the given number of requests, each with its own body', async () => {
  const server = await target(200)
  const { perSecond } = await load(server.target, { amount: 200 })
  expect(new Set(server.asked).size).toBe(200)
  expect(server.asked).toHaveLength(200)
  expect(perSecond).toBeGreaterThan(0)
})

it('sends at a rate as many requests as were asked, also more than it has connections, and times each', async () => {
  const server = await target(200)
  const times = await loadAtRate(server.target, 1_000_000, 200)
  expect(new Set(server.asked).size).toBe(200)
  expect(times).toHaveLength(200)
  for (const time of times) expect(time).toBeGreaterThan(0)
})

it('returns no figures if one request fails', async () => {
  const [one, other] = [await target(199), await target(39)]
  const failed = 'answered HTTP/1.1 503'
  await expect(load(one.target, { amount: 200 })).rejects.toThrow(failed)
  await expect(loadAtRate(other.target, 10_000, 40)).rejects.toThrow(failed)
})
