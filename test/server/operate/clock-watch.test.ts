import { describe, expect, it } from 'vitest'
import { createClockWatch } from '../../../server/operate/clock-watch.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import { createLog } from '../../../server/platform/log.ts'
import { type Actor, HUB } from '../../../server/security/actor.ts'
import type { AuditRow, ClockAction } from '../../../server/storage/audit.ts'
import { OPERATOR } from '../../support/actors.ts'
import { createVirtualClock } from '../../support/clock.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/** A database that outlives hubs. `start` starts one more hub on it. */
function world({ newestAgoMs = 0, isAlone = true } = {}) {
  const clock = createVirtualClock()
  const newest = { at: clock.now() - newestAgoMs }
  const rows: { by: Actor; action: ClockAction; details: AuditRow['details'] }[] = []
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const note = async (by: Actor, action: ClockAction, _at: number, details: AuditRow['details']) => {
    rows.push({ by, action, details })
  }
  const start = (of: Clock = clock) => {
    const watch = createClockWatch({
      audit: {
        list: async () =>
          rows.slice(-1).map(({ by: _, ...row }) => ({
            ...row,
            id: 1,
            at: 0,
            actorKind: 'hub',
            actor: 'hub',
            subject: '',
          })),
      },
      retention: { newestReceivedAt: async () => newest.at, noteClock: note },
      bridgeMs: 30 * DAY_MS,
      isAlone,
      clock: of,
      log,
    })
    return { ...watch, look: async () => (await watch.look()) !== undefined, trusted: watch.look }
  }
  return { clock, newest, rows, lines, note, start, actions: () => rows.map(({ action }) => action) }
}

describe('a clock that runs', () => {
  it('is trusted, also when NTP moves it by minutes', async () => {
    const { clock, rows, start } = world()
    const watch = start()
    expect(await watch.look()).toBe(true)
    for (const byMs of [30 * 60_000, -50 * 60_000, 0]) {
      clock.set(byMs)
      await clock.wind(DAY_MS)
      expect(await watch.look()).toBe(true)
    }
    expect(rows).toEqual([])
  })

  it.each([61 * 60_000, 100 * DAY_MS, -2 * HOUR_MS, -400 * DAY_MS])(
    'is in doubt after a jump of %d ms',
    async (byMs) => {
      const { clock, rows, lines, start } = world()
      const watch = start()
      await watch.look()
      clock.set(byMs)
      expect(await watch.look()).toBe(false)
      expect(watch.isDoubted()).toBe(true)
      expect(rows).toEqual([
        { by: HUB, action: 'clock.doubt', details: { why: 'jumped', jumpMs: byMs, confirmedUpTo: 0 } },
      ])
      expect(lines.filter((line) => line.includes('retention waits'))).toHaveLength(1)
    },
  )

  it('is in doubt in the moment of the jump, before the next look', async () => {
    const { clock, start } = world()
    const watch = start()
    await watch.look()
    expect(watch.isDoubted()).toBe(false)
    clock.set(61 * 60_000)
    expect(watch.isDoubted()).toBe(true)
  })

  it('notes the jump once for all who ask before the next look', async () => {
    const { clock, start, actions } = world()
    const watch = start()
    await watch.look()
    expect(watch.clock.fresh()).toBeUndefined()
    clock.set(100 * DAY_MS)
    await Promise.all([watch.clock.fresh(), watch.clock.fresh()])
    expect(actions()).toEqual(['clock.doubt'])
    expect(watch.clock.fresh()).toBeUndefined()
  })

  it('gives the time that it has compared, not one to which the clock was set meanwhile', async () => {
    const { clock, start } = world()
    const { trusted } = start()
    await trusted()
    await clock.wind(60_000)
    const now = clock.now()
    const looked = trusted()
    clock.set(100 * DAY_MS)
    expect(await looked).toBe(now)
  })

  it('is in doubt after many small steps in one direction', async () => {
    const { clock, start } = world()
    const watch = start()
    await watch.look()
    clock.set(40 * 60_000)
    expect(await watch.look()).toBe(true)
    clock.set(40 * 60_000)
    expect(await watch.look()).toBe(false)
  })

  it('is in doubt for 24 hours after it was set right again', async () => {
    const { clock, lines, start, actions } = world()
    const watch = start()
    await watch.look()
    clock.set(100 * DAY_MS)
    await watch.look()
    await clock.wind(90_000)
    clock.set(-100 * DAY_MS)
    expect(await watch.look()).toBe(false)
    await clock.wind(DAY_MS - 1)
    expect(await watch.look()).toBe(false)
    await clock.wind(1)
    expect(await watch.look()).toBe(true)
    expect(actions()).toEqual(['clock.doubt', 'clock.doubt', 'clock.steady'])
    expect(lines.at(-1)).toContain('trusted again')
  })

  it('is trusted at once when the operator confirms it', async () => {
    const { clock, note, start } = world()
    const watch = start()
    await watch.look()
    clock.set(100 * DAY_MS)
    await watch.look()
    await note(OPERATOR, 'clock.confirm', clock.now(), {})
    expect(await watch.look()).toBe(true)
    clock.set(-100 * DAY_MS)
    expect(await watch.look()).toBe(false)
  })
})

describe('a start', () => {
  it('is in doubt when the gap to the newest payment is longer than rows are kept', async () => {
    const { start, rows } = world({ newestAgoMs: 30 * DAY_MS + 1 })
    expect(await start().look()).toBe(false)
    expect(rows).toMatchObject([{ details: { why: 'start', jumpMs: 30 * DAY_MS + 1 } }])
    expect(
      await world({ newestAgoMs: 30 * DAY_MS })
        .start()
        .look(),
    ).toBe(true)
  })

  it('is in doubt when the clock is behind the newest payment by more than an hour', async () => {
    expect(
      await world({ newestAgoMs: -HOUR_MS - 1 })
        .start()
        .look(),
    ).toBe(false)
    expect(await world({ newestAgoMs: -HOUR_MS }).start().look()).toBe(true)
  })

  it('does not end a doubt, and counts the 24 hours anew', async () => {
    const { clock, start } = world()
    const first = start()
    await first.look()
    clock.set(2 * HOUR_MS)
    await first.look()
    await clock.wind(DAY_MS - 1)
    const second = start()
    expect(await second.look()).toBe(false)
    await clock.wind(DAY_MS - 1)
    expect(await second.look()).toBe(false)
    await clock.wind(1)
    expect(await second.look()).toBe(true)
  })
})

it('a hub waits for what another hub on the same database has seen', async () => {
  const { clock, note, start } = world({ isAlone: false })
  const watch = start()
  await watch.look()
  // Its own clock has been steady for long. That counts from the doubt on.
  await clock.wind(2 * DAY_MS)
  await watch.look()
  await note(HUB, 'clock.doubt', clock.now(), { why: 'jumped', jumpMs: DAY_MS })
  await clock.wind(60_000)
  expect(await watch.look()).toBe(false)
  await clock.wind(DAY_MS - 1)
  expect(await watch.look()).toBe(false)
  await clock.wind(1)
  expect(await watch.look()).toBe(true)
})

describe('a clock that is behind the newest payment', () => {
  it('is behind by more than five minutes, until it is right', async () => {
    const { clock, lines, start } = world({ newestAgoMs: -5 * 60_000 - 1 })
    const watch = start()
    await watch.look()
    expect(watch.isBehind()).toBe(true)
    await clock.wind(1)
    expect(watch.isBehind()).toBe(false)
    await watch.look()
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      expect.stringContaining('the clock is behind the newest payment'),
      expect.stringContaining('not behind the newest payment any more'),
    ])
  })

  it('is behind at once when it is set back, without a look', async () => {
    const { clock, start } = world()
    const watch = start()
    await watch.look()
    expect(watch.isBehind()).toBe(false)
    clock.set(-6 * 60_000)
    expect(watch.isBehind()).toBe(true)
  })

  it('is behind when it is set back before the newest payment was read, and by that payment from the next look on', async () => {
    const { clock, start } = world({ newestAgoMs: 30 * DAY_MS })
    const watch = start()
    await watch.look()
    clock.set(-20 * DAY_MS)
    expect(watch.isBehind()).toBe(true)
    await watch.look()
    expect(watch.isBehind()).toBe(false)
  })

  it('is behind a payment that was recorded right before it was set back', async () => {
    const { clock, newest, start } = world({ newestAgoMs: 30 * DAY_MS })
    const watch = start()
    await watch.look()
    newest.at = clock.now()
    clock.set(-20 * DAY_MS)
    await watch.look()
    expect(watch.isBehind()).toBe(true)
  })

  it('is behind no more when the operator confirms it, also after a restart and a later doubt', async () => {
    const { clock, note, start, rows } = world({ newestAgoMs: -100 * DAY_MS })
    const watch = start()
    expect(await watch.look()).toBe(false)
    expect(watch.isBehind()).toBe(true)
    await note(OPERATOR, 'clock.confirm', clock.now(), { confirmedUpTo: clock.now() + 100 * DAY_MS })
    expect(await watch.look()).toBe(true)
    expect(watch.isBehind()).toBe(false)

    clock.set(-2 * HOUR_MS)
    expect(await watch.look()).toBe(false)
    expect(rows.at(-1)?.details.confirmedUpTo).toBeGreaterThan(clock.now() + 99 * DAY_MS)
    const next = start()
    await next.look()
    expect(next.isBehind()).toBe(false)
  })

  it('is behind no more when the operator confirms it, also where it was never in doubt', async () => {
    const { clock, note, start } = world({ newestAgoMs: -30 * 60_000 })
    const watch = start()
    expect([await watch.look(), watch.isBehind()]).toEqual([true, true])
    await note(OPERATOR, 'clock.confirm', clock.now(), { confirmedUpTo: clock.now() + 30 * 60_000 })
    await clock.wind(60_000)
    expect([await watch.look(), watch.isBehind()]).toEqual([true, false])
  })

  it('stays confirmed when a later doubt has ended by itself, and at the next start', async () => {
    const { clock, note, start, actions } = world({ newestAgoMs: -100 * DAY_MS })
    await note(OPERATOR, 'clock.confirm', clock.now(), { confirmedUpTo: clock.now() + 100 * DAY_MS })
    const watch = start()
    await watch.look()
    clock.set(-2 * HOUR_MS)
    await watch.look()
    await clock.wind(DAY_MS)
    expect(await watch.look()).toBe(true)
    const next = start()
    expect([await next.look(), next.isBehind()]).toEqual([true, false])
    expect(actions()).toEqual(['clock.confirm', 'clock.doubt', 'clock.steady'])
  })

  it('is behind again before a payment that came after the confirmation', async () => {
    const { clock, note, start } = world({ newestAgoMs: -100 * DAY_MS })
    await note(OPERATOR, 'clock.confirm', clock.now(), { confirmedUpTo: clock.now() + 100 * DAY_MS - 1 })
    const watch = start()
    await watch.look()
    expect(watch.isBehind()).toBe(true)
  })
})
