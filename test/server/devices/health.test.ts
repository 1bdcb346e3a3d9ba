import { expect, it, vi } from 'vitest'
import { createHealthLog, HEALTH_BATCH, MOST_WAITING } from '../../../server/devices/health.ts'
import type { HealthChange } from '../../../server/devices/ports.ts'
import { createLog } from '../../../server/platform/log.ts'
import { createVirtualClock } from '../../support/clock.ts'

function setUp() {
  const clock = createVirtualClock()
  const record = vi.fn<(changes: readonly HealthChange[]) => Promise<void>>(async () => undefined)
  const health = createHealthLog({ health: { record }, clock, log: createLog('silent') })
  /** The devices of each write. */
  const writes = () => record.mock.calls.map(([changes]) => changes.map(({ deviceId }) => deviceId))
  return { clock, record, health, writes }
}

it('writes the reports of half a minute at once, of each device the newest', async () => {
  const { clock, record, health } = setUp()
  health.reported('a', { battery: 80, signal: -60 })
  await clock.wind(20_000)
  health.reported('b', { volume: 0 })
  health.reported('a', { battery: 79 })
  const at = clock.now()
  expect(record).not.toHaveBeenCalled()
  await clock.wind(10_000)
  expect(record.mock.calls).toEqual([
    [
      [
        {
          deviceId: 'a',
          report: {
            battery: 79,
            charging: undefined,
            signal: undefined,
            volume: undefined,
            queue: undefined,
            at,
          },
        },
        {
          deviceId: 'b',
          report: {
            battery: undefined,
            charging: undefined,
            signal: undefined,
            volume: 0,
            queue: undefined,
            at,
          },
        },
      ],
    ],
  ])
  await clock.wind(60_000)
  expect(record).toHaveBeenCalledTimes(1)
})

it('keeps what a device says of firmware and of its start when a later report says nothing of them', async () => {
  const { clock, record, health } = setUp()
  const update = { fw: '2.0', state: 'downloading', percent: 20 } as const
  const runtime = { reset: 'watchdog', uptime: 60, crashes: 1 }
  health.reported('a', { battery: 80 }, { update, runtime })
  const at = clock.now()
  await clock.wind(10_000)
  health.reported('a', { battery: 79 })
  await clock.wind(30_000)
  expect(record.mock.calls).toMatchObject([
    [[{ report: { battery: 79 }, update: { ...update, at }, runtime: { ...runtime, at } }]],
  ])
})

it('writes the end of a connection within two seconds, and the reports that wait with it', async () => {
  const { clock, record, health } = setUp()
  health.reported('a', { battery: 80 })
  health.left('a')
  await clock.wind(2_000)
  expect(record.mock.calls).toEqual([
    [[{ deviceId: 'a', leftAt: expect.any(Number), report: expect.objectContaining({ battery: 80 }) }]],
  ])
})

it('writes no more than a batch in one commit, and does not wait when many have something new', async () => {
  const { clock, health, writes } = setUp()
  for (let n = 1; n < MOST_WAITING; n += 1) health.reported(`d${n}`, {})
  await clock.wind(1_000)
  expect(writes()).toEqual([])
  for (const serial of ['d0', 'd-1']) health.reported(serial, {})
  await clock.wind(0)
  expect(Math.max(...writes().map(({ length }) => length))).toBe(HEALTH_BATCH)
  expect(new Set(writes().flat()).size).toBe(MOST_WAITING + 1)
})

it('tries again what could not be written, unless a newer report has come', async () => {
  const { clock, record, health } = setUp()
  record.mockRejectedValueOnce(new Error('the disk is full'))
  health.left('a')
  health.left('b')
  health.reported('a', { battery: 50 })
  await clock.wind(2_000)
  health.reported('a', { battery: 49 })
  await clock.wind(30_000)
  expect(record).toHaveBeenCalledTimes(2)
  expect(record.mock.lastCall?.[0].toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1))).toEqual([
    { deviceId: 'a', leftAt: expect.any(Number), report: expect.objectContaining({ battery: 49 }) },
    { deviceId: 'b', leftAt: expect.any(Number) },
  ])
})

it('writes what is waiting before it stops, and nothing later', async () => {
  const { clock, health, writes } = setUp()
  health.reported('a', {})
  await health.stop()
  expect(writes()).toEqual([['a']])
  health.left('b')
  await clock.wind(60_000)
  expect(writes()).toEqual([['a']])
})
