import { expect, it } from 'vitest'
import { createTakeovers } from '../../../server/mqtt/takeovers.ts'
import { createVirtualClock } from '../../support/clock.ts'

const notes = (takeovers: ReturnType<typeof createTakeovers>, serial: string, times: number) =>
  Array.from({ length: times }, () => takeovers.note(serial)).filter(Boolean).length

it('reports a serial that is taken over five times within a minute, once', () => {
  const takeovers = createTakeovers(createVirtualClock())
  expect(notes(takeovers, 'SB-1', 4)).toBe(0)
  expect(notes(takeovers, 'SB-1', 1)).toBe(1)
  expect(notes(takeovers, 'SB-1', 100)).toBe(0)
})

it('reports again in the next minute', async () => {
  const clock = createVirtualClock()
  const takeovers = createTakeovers(clock)
  notes(takeovers, 'SB-1', 50)
  await clock.wind(60_000)
  expect(notes(takeovers, 'SB-1', 5)).toBe(1)
})

it('takes no notice of a device that roams, and counts serials apart', async () => {
  const clock = createVirtualClock()
  const takeovers = createTakeovers(clock)
  for (let i = 0; i < 20; i += 1) {
    expect(notes(takeovers, 'SB-1', 1) + notes(takeovers, 'SB-2', 1)).toBe(0)
    await clock.wind(16_000)
  }
})
