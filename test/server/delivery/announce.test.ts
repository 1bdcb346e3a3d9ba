import { expect, it } from 'vitest'
import { createClaims } from '../../../server/delivery/announce.ts'
import { ownerOf } from '../storage/shop.ts'

/** Claims on speakers of which a test says which are busy. */
function world() {
  const busy = new Set<string>()
  const idle = (deviceId: string) =>
    busy.has(deviceId) ? undefined : { ...ownerOf(deviceId), knownNumber: 1 }
  return { busy, claims: createClaims(idle) }
}

/** Claims for an act that lasts until it is ended. */
function claim({ claims }: ReturnType<typeof world>, store: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let deviceIds: string[] = []
  const claimed = claims.claim(store, (speakers) => {
    deviceIds = speakers.map(({ deviceId }) => deviceId)
    return promise
  })
  const end = (error?: Error) => {
    if (error) reject(error)
    else resolve()
    return claimed
  }
  return { deviceIds, end }
}

it('claims the idle speakers of the last payment of the store', () => {
  const here = world()
  expect(claim(here, 'store').deviceIds).toEqual([])
  here.claims.remember('store', ['a', 'b', 'c'])
  here.busy.add('b')
  expect(claim(here, 'store').deviceIds).toEqual(['a', 'c'])
  expect(claim(here, 'other store').deviceIds).toEqual([])
})

it('claims a speaker for one payment at a time, until its act ends', async () => {
  const here = world()
  here.claims.remember('store', ['a', 'b'])
  here.claims.remember('other store', ['b', 'c'])
  const first = claim(here, 'store')
  const second = claim(here, 'other store')
  expect(second.deviceIds).toEqual(['c'])
  await second.end()
  expect(claim(here, 'store').deviceIds).toEqual([])
  await first.end()
  expect(claim(here, 'other store').deviceIds).toEqual(['b', 'c'])
})

it('names the speakers of an act that has failed once, and releases them', async () => {
  const here = world()
  here.claims.remember('store', ['a', 'b'])
  await claim(here, 'store').end()
  expect(here.claims.doubted()).toEqual([])
  await expect(claim(here, 'store').end(new Error('lost'))).rejects.toThrow('lost')
  expect(here.claims.doubted()).toEqual(['a', 'b'])
  expect(here.claims.doubted()).toEqual([])
  expect(claim(here, 'store').deviceIds).toEqual(['a', 'b'])
})
