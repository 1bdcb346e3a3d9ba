import { expect, it } from 'vitest'
import { loadAtRate } from './at-rate.ts'
import { bodies, serve } from './test-server.ts'

it('sends as many requests as were asked, each with its own body, and times each', async () => {
  const { asked, url } = await serve(40)
  const times = await loadAtRate({ url, pids: [], headers: {}, body: bodies() }, 10_000, 40)
  expect(new Set(asked).size).toBe(40)
  expect(times).toHaveLength(40)
  for (const time of times) expect(time).toBeGreaterThan(0)
})

it('sends more requests at once than it has connections', async () => {
  const { asked, url } = await serve(200)
  await loadAtRate({ url, pids: [], headers: {}, body: bodies() }, 1_000_000, 200)
  expect(asked).toHaveLength(200)
})

it('returns no times if one request fails', async () => {
  const { url } = await serve(39)
  const asked = loadAtRate({ url, pids: [], headers: {}, body: bodies() }, 10_000, 40)
  await expect(asked).rejects.toThrow('answered HTTP/1.1 503')
})
