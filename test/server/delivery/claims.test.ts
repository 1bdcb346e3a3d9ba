import { expect, it } from 'vitest'
import { createClaims } from '../../../server/delivery/claims.ts'

/** Claims on speakers of which a test says which are busy. */
function world() {
  const busy = new Set<string>()
  return { busy, claims: createClaims((deviceId) => !busy.has(deviceId)) }
}

it('claims the idle speakers of the last payment of the store', () => {
  const { busy, claims } = world()
  expect(claims.claim('store').deviceIds).toEqual([])
  claims.remember('store', ['a', 'b', 'c'])
  busy.add('b')
  expect(claims.claim('store').deviceIds).toEqual(['a', 'c'])
  expect(claims.claim('other store').deviceIds).toEqual([])
})

it('claims a speaker for one payment at a time, until it is released', () => {
  const { claims } = world()
  claims.remember('store', ['a', 'b'])
  claims.remember('other store', ['b', 'c'])
  const first = claims.claim('store')
  const second = claims.claim('other store')
  expect(second.deviceIds).toEqual(['c'])
  second.release()
  expect(claims.claim('store').deviceIds).toEqual([])
  first.release()
  expect(claims.claim('other store').deviceIds).toEqual(['b', 'c'])
})
