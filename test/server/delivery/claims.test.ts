import { expect, it } from 'vitest'
import type { Claim } from '../../../server/announcements/ports.ts'
import { createClaims } from '../../../server/delivery/claims.ts'
import { ownerOf } from '../storage/shop.ts'

/** Claims on speakers of which a test says which are busy. */
function world() {
  const busy = new Set<string>()
  const idle = (deviceId: string) =>
    busy.has(deviceId) ? undefined : { ...ownerOf(deviceId), knownNumber: 1 }
  return { busy, claims: createClaims(idle) }
}

const devicesOf = ({ speakers }: Claim) => speakers.map(({ deviceId }) => deviceId)

it('claims the idle speakers of the last payment of the store', () => {
  const { busy, claims } = world()
  expect(devicesOf(claims.claim('store'))).toEqual([])
  claims.remember('store', ['a', 'b', 'c'])
  busy.add('b')
  expect(devicesOf(claims.claim('store'))).toEqual(['a', 'c'])
  expect(devicesOf(claims.claim('other store'))).toEqual([])
})

it('claims a speaker for one payment at a time, until it is released', () => {
  const { claims } = world()
  claims.remember('store', ['a', 'b'])
  claims.remember('other store', ['b', 'c'])
  const first = claims.claim('store')
  const second = claims.claim('other store')
  expect(devicesOf(second)).toEqual(['c'])
  second.release()
  expect(devicesOf(claims.claim('store'))).toEqual([])
  first.release()
  expect(devicesOf(claims.claim('other store'))).toEqual(['b', 'c'])
})
