import { expect, it } from 'vitest'
import { fuzz } from './fuzz/fuzz.ts'

// `npm run fuzz -- REQUESTS` is the same for longer.
it('answers whatever is sent as described, and a refusal changes nothing and shows nothing', async () => {
  const { failure, requests } = await fuzz({ requests: 2_500 })
  expect(failure).toBeUndefined()
  expect(requests).toBeGreaterThanOrEqual(2_500)
}, 60_000)
