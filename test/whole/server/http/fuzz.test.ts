import { expect, it } from 'vitest'
import { fuzz } from '../../../server/http/fuzz/fuzz.ts'
import { SEED } from '../../../support/seed.ts'

const REQUESTS = 5_000
/** The requests have reached every part of the API when these have come. Each is far from rare. */
const REFUSALS = [
  ...[
    '400 40000',
    '400 40001',
    '400 40012',
    '400 40013',
    '400 40014',
    '400 40016',
    '400 40021',
    '401 40100',
    '401 40101',
  ],
  ...[
    '401 40105',
    '404 40400',
    '404 40401',
    '404 40402',
    '404 40403',
    '404 40404',
    '405 40500',
    '409 40901',
    '415 41500',
  ],
]

it('answers random requests as described, and a refusal changes nothing and shows nothing', async () => {
  // Another seed than that of the quick project.
  const { failure, requests, answers } = await fuzz({ requests: REQUESTS, seed: SEED + 1 })
  expect(failure).toBeUndefined()
  expect(requests).toBeGreaterThanOrEqual(REQUESTS)
  expect([...answers.keys()]).toEqual(expect.arrayContaining(['200', '201', ...REFUSALS]))
})
