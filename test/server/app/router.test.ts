import { TrieRouter } from 'hono/router/trie-router'
import { describe, expect, it } from 'vitest'
import { createRouter } from '../../../server/app/router.ts'

const ROUTES = [
  ['ALL', '/*', 'first'],
  ['POST', '/device/register', 'register'],
  ['GET', '/device/:serial', 'device'],
  ['POST', '/device/:serial/test', 'test'],
  ['GET', '/docs/*', 'docs'],
] as const

function routers() {
  const [ours, trie] = [createRouter<string>(), new TrieRouter<string>()]
  for (const [method, path, handler] of ROUTES) {
    ours.add(method, path, handler)
    trie.add(method, path, handler)
  }
  return { ours, trie }
}

describe('the router', () => {
  it.each([
    '/device/register',
    '/device/SB-1',
    '/device/SB-1/test',
    '/docs/a',
    '/device/:serial',
    '/none',
    '/',
  ])('finds the same for %s as the router without a cache, every time', (path) => {
    const { ours, trie } = routers()
    for (const method of ['GET', 'POST', 'PUT', 'GET', 'POST', 'PUT'])
      expect(ours.match(method, path)).toEqual(trie.match(method, path))
  })

  it('finds a route that is added after a match', () => {
    const { ours } = routers()
    ours.match('POST', '/device/register')
    ours.add('POST', '/device/register', 'second')
    const [found] = ours.match('POST', '/device/register')
    expect(found.map(([handler]) => handler)).toEqual(['first', 'register', 'second'])
  })
})
