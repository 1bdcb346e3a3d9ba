import { expect, it } from 'vitest'
import { load } from './load.ts'
import { bodies, serve } from './test-server.ts'

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
