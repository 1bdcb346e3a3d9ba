import { expect, it } from 'vitest'
import { fuzz } from './fuzz/fuzz.ts'

const REFUSALS = [
  ...['400 40000', '400 40001', '400 40012', '400 40013', '400 40014', '400 40016', '401 40100', '401 40101'],
  ...['401 40105', '404 40400', '404 40401', '404 40402', '404 40403', '405 40500', '409 40901', '415 41500'],
]

// `npm run fuzz -- REQUESTS` runs longer.
it('answers every generated request as described; a refused one changes nothing and shows nothing', async () => {
  const { failure, requests, answers } = await fuzz({ requests: 2_500 })
  expect(failure).toBeUndefined()
  expect(requests).toBeGreaterThanOrEqual(2_500)
  // The run has reached all of these; none is rare.
  expect([...answers.keys()]).toEqual(expect.arrayContaining(['200', '201', ...REFUSALS]))
}, 60_000)
