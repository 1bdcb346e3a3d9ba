import { afterAll, expect, it } from 'vitest'
import { callsOf } from '../../../server/site/parts/calls.ts'
import { createTestApi } from '../../support/api.ts'

const api = createTestApi({ onEnd: afterAll })
const calls = await callsOf(JSON.parse(await api.text('/openapi.json')))

/** The methods that go through all pages of a list. */
const LISTS = /hub\.(devices|payments|dayByStore|stores|events|deliveries)\(/

it.each(calls)('$operationId has a call of the client and one of curl', ({ operationId, curl, client }) => {
  expect(client).toContain(`hub.${operationId}(`)
  expect(curl).toMatch(/^curl -s (-X [A-Z]+ )?"\$HUB\/api\/v1\/partner\/[^{}"]+"/)
  expect(curl.includes('$TOKEN')).toBe(!/AccessToken$/.test(operationId))
  if (LISTS.test(client)) expect(client).toMatch(/^(const .*\n)?for await \(/)
})

it('curl sends the example of the document', () => {
  const { curl = '' } = calls.find(({ operationId }) => operationId === 'sendVerificationCode') ?? {}
  expect(curl).toContain('-X POST')
  expect(JSON.parse(/-d '([^']*)'/.exec(curl)?.[1] ?? '')).toEqual({ deviceSerial: 'SB-0001' })
})
