import { describe, expect, it, vi } from 'vitest'
import { watchClockSteps } from '../../../server/platform/clock.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'
import { holdNext, openStage, quietLine, quietStage, type Stage } from './stage.ts'

const FRESH_MS = 120_000
const HOUR_MS = 60 * 60_000

/** Lets the sweep check the clock. */
const look = (stage: Stage) => stage.clock.wind(1_000)

/** Whether a device that uses the hub's clock accepts its last command as in time. */
function isInTime(stage: Stage, { at, ttl }: { at: number; ttl: number }): boolean {
  return at + ttl >= Math.floor(stage.clock.now() / 1_000)
}

describe.each([HOUR_MS, -HOUR_MS, -10_000])('a clock that is set by %i ms', (byMs) => {
  it('sb/1 11.6, sb/1 11.7: welcomes every device again, with a higher number, before any other command', async () => {
    const { stage, line } = await quietStage()
    const before = line.types().length
    const highest = line.last().n
    stage.clock.set(byMs)
    await look(stage)
    expect(line.types().slice(before)).toEqual(['welcome'])
    expect(line.last().d).toMatchObject({ now: Math.floor(stage.clock.now() / 1_000) })
    expect(line.last().n).toBeGreaterThan(highest)
    await line.obey()
    await stage.pay('30000')
    expect(line.last()).toMatchObject({ t: 'announce', ttl: FRESH_MS / 1_000 })
    expect(isInTime(stage, line.last())).toBe(true)
  })

  it('sb/1 7.23: shows no payment as missed again whose notice was on its way before the new welcome', async () => {
    const { stage, line } = await quietStage()
    await stage.pay('30000')
    await line.ack(line.last(), 'failed', 'audio_failed')
    const notice = line.last()
    stage.clock.set(byMs)
    await look(stage)
    await line.ack(notice, 'shown')
    await line.obey()
    expect(line.types().filter((type) => type === 'missed')).toHaveLength(1)
    expect(await stage.storage.outbox.missed(stage.speaker.deviceId)).toBeUndefined()
  })

  it('sb/1 11.6: welcomes a device before it sends a payment of the same moment', async () => {
    const { stage, line } = await quietStage()
    const before = line.types().length
    stage.clock.set(byMs)
    await stage.pay('30000')
    await line.obey()
    expect(line.types().slice(before, before + 2)).toEqual(['welcome', 'announce'])
    expect(line.ofType('announce')).toHaveLength(1)
  })

  it('gives a received announcement its full time to be played: it is not missed', async () => {
    const { stage, line } = await quietStage()
    const ftCode = await stage.pay('30000')
    const announce = line.last()
    await line.ack(announce, 'received')
    stage.clock.set(byMs)
    await look(stage)
    await look(stage)
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'received' })
    await line.ack(announce, 'played')
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'played' })
    expect(line.types()).not.toContain('missed')
  })

  it('expires a received announcement that is never played, after the usual time', async () => {
    const { stage, line } = await quietStage()
    const ftCode = await stage.pay('30000')
    await line.ack(line.last(), 'received')
    stage.delivery.leave(line.session)
    stage.clock.set(byMs)
    await stage.clock.wind(FRESH_MS + 60_000 + 5_000)
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'expired' })
  })

  it('does not change which devices count as connected', async () => {
    const stage = await openStage()
    await quietLine(stage)
    stage.clock.set(byMs)
    expect(stage.delivery.isConnected(stage.speaker.serial)).toBe(true)
    await stage.clock.wind(2.5 * 60_000 + 1)
    expect(stage.delivery.isConnected(stage.speaker.serial)).toBe(false)
  })

  it('does not delay resends', async () => {
    const { stage, line } = await quietStage()
    stage.clock.set(byMs)
    await look(stage)
    const welcomes = () => line.ofType('welcome').length
    const before = welcomes()
    await stage.clock.wind(12_000)
    expect(welcomes() - before).toBe(3)
  })
})

it('a clock step is reported once, in whole milliseconds, and a small one never', () => {
  let [now, elapsed] = [1_000_000, 17.25]
  const steps = watchClockSteps({ ...createVirtualClock(), now: () => now, elapsed: () => elapsed })
  expect(steps.look()).toBe(0)
  now += 4_000
  elapsed += 1_000.125
  expect(steps.look()).toBe(0)
  now -= 3_600_000
  expect(steps.look()).toBe(-3_597_000)
  expect(steps.look()).toBe(0)
})

describe('a clock that is set back', () => {
  // By more and by less than the age of the announcement.
  it.each([-HOUR_MS, -FRESH_MS / 2])(
    'sb/1 7.10: makes no announcement fresh again (%i ms): a queued one expires as early as before',
    async (byMs) => {
      const stage = await openStage()
      const ftCode = await stage.pay('30000')
      await stage.clock.wind(FRESH_MS - 10_000)
      stage.clock.set(byMs)
      await look(stage)
      expect(await stage.trail(ftCode)).toMatchObject({ stage: 'queued' })
      await stage.clock.wind(10_000)
      expect(await stage.trail(ftCode)).toMatchObject({ stage: 'expired' })
      const line = await quietLine(stage)
      expect(line.types()).toEqual(['welcome', 'profile', 'missed'])
    },
  )

  it('gives payments that came after the step their full time, even before the hub detects it', async () => {
    const stage = await openStage()
    stage.clock.set(-FRESH_MS / 2)
    await stage.clock.wind(900)
    const ftCode = await stage.pay('30000')
    await stage.clock.wind(FRESH_MS - 1_000)
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'queued' })
    await stage.clock.wind(2_000)
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'expired' })
  })

  it.each([0, FRESH_MS])(
    'is detected at a birth: a payment from %i ms ago is spoken only while it is fresh',
    async (ageMs) => {
      const stage = await openStage()
      await stage.pay('30000')
      await stage.clock.wind(ageMs)
      stage.clock.set(-HOUR_MS)
      expect((await quietLine(stage)).ofType('announce')).toHaveLength(ageMs === 0 ? 1 : 0)
    },
  )

  it('sends nothing until the step is stored, and then continues', async () => {
    const { stage, line } = await quietStage()
    const before = line.types().length
    const clockSetBack = vi
      .spyOn(stage.storage.outbox, 'clockSetBack')
      .mockRejectedValueOnce(new Error('full'))
    stage.clock.set(-HOUR_MS)
    await stage.pay('30000')
    expect(line.types()).toHaveLength(before)
    await look(stage)
    await line.obey()
    expect(clockSetBack).toHaveBeenLastCalledWith(expect.any(Number), {
      byMs: HOUR_MS,
      since: expect.any(Number),
    })
    expect(line.types().slice(before)).toEqual(['welcome', 'announce', 'profile'])
  })

  it('is over when the clock is corrected before the step could be stored', async () => {
    const { stage, line } = await quietStage()
    vi.spyOn(stage.storage.outbox, 'clockSetBack').mockRejectedValueOnce(new Error('full'))
    stage.clock.set(-HOUR_MS)
    await look(stage)
    stage.clock.set(HOUR_MS)
    await stage.pay('30000')
    await line.obey()
    expect(line.ofType('announce')).toHaveLength(1)
  })

  it('handles payments while it welcomes many devices', async () => {
    const stage = await openStage()
    for (let number = 0; number < 45; number += 1) await quietLine(stage, await stage.shop.device())
    const welcomed = vi.spyOn(stage.storage.outbox, 'begin')
    stage.clock.set(-HOUR_MS)
    stage.delivery.announce([], '', stage.clock.now())
    await settle()
    const counts = [welcomed.mock.calls.length]
    for (const pauseMs of [1, 1]) {
      await stage.clock.wind(pauseMs)
      counts.push(welcomed.mock.calls.length)
    }
    expect(counts).toEqual([19, 39, 45])
  })

  it('closes the connection of a device that could not be welcomed again, because its session is held', async () => {
    const { stage, line } = await quietStage()
    vi.spyOn(stage.storage.outbox, 'begin').mockRejectedValueOnce(new Error('unreadable'))
    stage.clock.set(-HOUR_MS)
    await look(stage)
    expect(line.state.closed).toBe(true)
  })

  it('sb/1 7.3: lets no announcement overtake an earlier one: a device would answer that the earlier one was played', async () => {
    const { stage, line } = await quietStage()
    const paid = [await stage.pay('30000'), await stage.pay('40000')]
    stage.clock.set(-HOUR_MS)
    paid.push(await stage.pay('50000'))
    await line.obey()
    const numbers = line.numbers()
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    for (const ftCode of paid) expect(await stage.trail(ftCode)).toMatchObject({ stage: 'played' })
  })

  it.each([
    ['while the hub was stopped', (stage: Stage) => void stage.delivery.start()()],
    ['at a birth', () => undefined],
  ])('%s: lets a device that is born wait until the step is stored', async (_, detect) => {
    const stage = await openStage()
    await stage.pay('30000')
    await stage.clock.wind(FRESH_MS - 10_000)
    const continueAct = holdNext(stage, 'clockSetBack')
    stage.clock.set(-HOUR_MS)
    detect(stage)
    const line = stage.connect()
    const born = line.born()
    await settle()
    await line.obey()
    expect(line.types()).toEqual([])
    continueAct()
    await born
    await line.obey()
    expect(line.types()[0]).toBe('welcome')
    for (const { command } of line.ofType('announce')) expect(command.ttl).toBeLessThanOrEqual(10)
  })

  it('while the hub was stopped: announcements with a time in the future expire, because their age is unknown', async () => {
    const stage = await openStage()
    const ftCode = await stage.pay('30000')
    stage.clock.set(-HOUR_MS)
    await stage.delivery.start()()
    await settle()
    await look(stage)
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'expired' })
  })
})

describe('a clock that is set forward', () => {
  it('expires announcements that wait for an offline device: the machine may have slept', async () => {
    const stage = await openStage()
    const ftCode = await stage.pay('30000')
    stage.clock.set(HOUR_MS)
    await look(stage)
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'expired' })
    expect((await quietLine(stage)).types()).toEqual(['welcome', 'profile', 'missed'])
  })
})
