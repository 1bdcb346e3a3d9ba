import { expect, it } from 'vitest'
import { isSafeHost, readHostNames } from '../../../../server/platform/net/host.ts'

it.each([
  ...['127.0.0.1', '127.0.0.1:8081', '10.0.0.1', '[::1]', '[::1]:8081', '[2001:db8::1]:80'],
  ...['localhost', 'LocalHost:8081', 'hub.localhost', 'hub', 'HUB:8081', 'hub.example.com:8081'],
])('%s leads to the hub alone', (host) => {
  expect(isSafeHost(host, ['hub', 'hub.example.com'])).toBe(true)
})

it.each([
  ...['evil.example', 'evil.example:8081', '127.0.0.1.evil.example', 'localhost.evil.example'],
  ...[
    'hub.evil.example',
    'a.hub',
    'example.com',
    'nothub',
    'user@127.0.0.1',
    '127.0.0.1/a',
    '127.0.0.1?a',
    '',
  ],
  ...['localhost.', '::1', 'a b', undefined],
])('%s may lead elsewhere', (host) => {
  expect(isSafeHost(host, ['hub', 'hub.example.com'])).toBe(false)
})

it('names are read in lower case, and nothing else is', () => {
  expect(readHostNames('Hub, hub.Example.com')).toEqual(['hub', 'hub.example.com'])
  for (const text of ['', 'hub,', '*', 'hub:8081', 'http://hub', 'a..b', 'a b', '*.example.com'])
    expect([text, readHostNames(text)]).toEqual([text, undefined])
})
