import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../clients/typescript/src/calls/clock.ts'
import { createLinks } from '../../../clients/typescript/src/calls/signals.ts'

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

describe("the system's clock", () => {
  it('sleeps', async () => {
    const from = systemClock.now()
    await systemClock.sleep(20, new AbortController().signal)
    expect(systemClock.now() - from).toBeGreaterThan(15)
  })

  it('sleeps longer than a timer can, until the signal, and leaves no timer that keeps a process alive', async () => {
    const controller = new AbortController()
    let hasEnded = false
    const sleep = systemClock.sleep(Number.POSITIVE_INFINITY, controller.signal).finally(() => {
      hasEnded = true
    })
    await wait(20)
    expect(hasEnded).toBe(false)
    const during = timers()
    controller.abort(new Error('enough'))
    await expect(sleep).rejects.toThrow('enough')
    await expect(systemClock.sleep(1, controller.signal)).rejects.toThrow('enough')
    expect(timers()).toBeLessThan(during)
  })
})

describe('a link to a signal', () => {
  it('aborts with it, unless its call has ended', () => {
    const controller = new AbortController()
    const link = createLinks()
    const [ended, open] = [link(controller.signal), link(controller.signal)]
    ended.end()
    controller.abort('why')
    expect([ended.signal.aborted, open.signal.reason]).toEqual([false, 'why'])
    expect(link(controller.signal).signal.reason).toBe('why')
    expect(link(undefined).signal.aborted).toBe(false)
  })
})
