import { expect, it } from 'vitest'
import { SEED } from '../../support/seed.ts'
import { fuzz } from './fuzz/fuzz.ts'

const REQUESTS = 500
/** The requests have reached every part of the API when these have come. Each is far from rare. */
const REFUSALS = ['400 40000', '400 40001', '401 40100', '404 40400', '405 40500', '415 41500']

// test/whole/server/http/fuzz.test.ts sends more, and `npm run fuzz -- REQUESTS` as many as wanted.
it('answers random requests as described, and a refusal changes nothing and shows nothing', async () => {
  const { failure, requests, answers } = await fuzz({ requests: REQUESTS, seed: SEED })
  expect(failure).toBeUndefined()
  expect(requests).toBeGreaterThanOrEqual(REQUESTS)
  expect([...answers.keys()]).toEqual(expect.arrayContaining(['200', '201', ...REFUSALS]))
})
