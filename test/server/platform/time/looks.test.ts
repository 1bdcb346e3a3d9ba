import { describe, expect, it } from 'vitest'
import { createLog } from '../../../../server/platform/log.ts'
import { createLease } from '../../../../server/platform/time/lease.ts'
import { createLooks } from '../../../../server/platform/time/looks.ts'
import { unavailable } from '../../../../server/storage/shared/storage-errors.ts'
import { createVirtualClock } from '../../../support/clock.ts'

describe('looks', () => {
  /** Looks that each end when the test says so, and are 1 s apart. */
  function begin() {
    const clock = createVirtualClock()
    const at: number[] = []
    const lines: string[] = []
    const nothing: (error?: Error) => void = () => undefined
    const world = { end: nothing }
    const log = createLog('info', { write: (line) => void lines.push(line) })
    const look = () => {
      at.push(clock.elapsed())
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      world.end = (error) => (error ? reject(error) : resolve(1_000))
      return promise
    }
    const looks = createLooks({ clock, log }, { look, failure: 'nothing is seen', retryMs: 3_000 })
    looks.start()
    return { clock, at, lines, looks, world }
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

  it('come after another pause when one has failed, which is logged once, unless the storage is away', async () => {
    const { clock, at, lines, world } = begin()
    const ends = [unavailable(), new Error('a'), new Error('b'), undefined, new Error('c'), unavailable()]
    for (const error of ends) {
      await clock.wind(0)
      world.end(error)
      await clock.wind(error ? 3_000 : 1_000)
    }
    expect(at).toEqual([0, 3_000, 6_000, 9_000, 10_000, 13_000, 16_000])
    expect(lines).toEqual([expect.stringContaining('nothing is seen'), expect.stringContaining('"c"')])
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
