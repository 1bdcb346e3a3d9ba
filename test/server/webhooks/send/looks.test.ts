import { describe, expect, it } from 'vitest'
import { createLease } from '../../../../server/webhooks/send/lease.ts'
import { createLooks } from '../../../../server/webhooks/send/looks.ts'
import { createVirtualClock } from '../../../support/clock.ts'

describe('looks', () => {
  /** Looks that each end when the test says so, and are 1 s apart. */
  function begin() {
    const clock = createVirtualClock()
    const at: number[] = []
    const world: { end: () => void } = { end: () => undefined }
    const looks = createLooks(clock, () => {
      at.push(clock.elapsed())
      const { promise, resolve } = Promise.withResolvers<number>()
      world.end = () => resolve(1_000)
      return promise
    })
    looks.start()
    return { clock, at, looks, world }
  }

  it('come one after another, each after the pause that the one before asked for', async () => {
    const { clock, at, world } = begin()
    await clock.wind(5_000)
    world.end()
    await clock.wind(5_000)
    expect(at).toEqual([0, 6_000])
  })

  it('come sooner when asked, but not later, and not during a look', async () => {
    const { clock, at, looks, world } = begin()
    await clock.wind(0)
    looks.soon(50)
    await clock.wind(100)
    expect(at).toEqual([0])
    world.end()
    await clock.wind(0)
    looks.soon(50)
    await clock.wind(40)
    looks.soon(50)
    await clock.wind(10)
    expect(at).toEqual([0, 150])
  })

  it('end with the look that is under way', async () => {
    const { clock, at, looks, world } = begin()
    await clock.wind(0)
    let isStopped = false
    const stopped = looks.stop().then(() => {
      isStopped = true
    })
    await clock.wind(2_000)
    expect([looks.isRunning(), isStopped]).toEqual([false, false])
    world.end()
    await stopped
    looks.soon(0)
    await clock.wind(2_000)
    expect(at).toEqual([0])
  })
})

it('a lease is asked for once a second, and holds for 3 s after the last question that was answered with yes', async () => {
  const clock = createVirtualClock()
  let leads: () => Promise<boolean> = async () => true
  let asked = 0
  const lease = createLease(() => {
    asked += 1
    return leads()
  }, clock)
  await clock.wind(1)
  expect(lease.isValid()).toBe(false)
  for (const _ of [1, 2]) expect(await lease.renew()).toBe(true)
  expect(asked).toBe(1)
  leads = () => Promise.reject(new Error('away'))
  await clock.wind(3_000)
  await expect(lease.renew()).rejects.toThrow('away')
  expect(lease.isValid()).toBe(true)
  await clock.wind(1)
  expect(lease.isValid()).toBe(false)
  leads = async () => true
  await lease.renew()
  leads = async () => false
  await clock.wind(1_000)
  expect(await lease.renew()).toBe(false)
  expect(lease.isValid()).toBe(false)
})
