import { expect, it, onTestFinished } from 'vitest'
import type { Departure } from '../../../server/devices/ports.ts'
import { createDepartures } from '../../../server/events/departures.ts'
import { createLog } from '../../../server/platform/log.ts'
import { unavailable } from '../../../server/storage/shared/storage-errors.ts'
import { createVirtualClock } from '../../support/clock.ts'

function world({ isAlone = true, lost = [] }: { isAlone?: boolean; lost?: Departure[] } = {}) {
  const clock = createVirtualClock()
  const start = clock.now()
  const state = { lost, leads: true, broken: false, looks: 0 }
  const [told, lines]: [string[], string[]] = [[], []]
  const departures = createDepartures({
    health: {
      async toldOnline() {
        state.looks += 1
        return { devices: state.lost, next: undefined }
      },
      async tellOffline(gone, at) {
        if (state.broken) throw unavailable()
        for (const { deviceId, sessionId, leftAt } of gone)
          told.push(`${deviceId}/${sessionId} left ${leftAt - start} told ${at - start}`)
      },
    },
    isAlone,
    looksForLost: async () => state.leads,
    clock,
    log: createLog('info', { write: (line) => void lines.push(line) }),
  })
  const stop = departures.start()
  onTestFinished(stop)
  return { clock, start, state, told, lines, departures, stop }
}

it('tells of a device after a minute away, once', async () => {
  const { clock, told, departures } = world()
  departures.born('one', 's1')
  await clock.wind(5_000)
  departures.left('one')
  departures.left('one')
  await clock.wind(59_000)
  expect(told).toEqual([])
  await clock.wind(120_000)
  expect(told).toEqual(['one/s1 left 5000 told 65000'])
})

it('tells nothing of a device that is back within the minute, however often', async () => {
  const { clock, told, departures } = world()
  for (let count = 0; count < 10; count += 1) {
    departures.born('one', `s${count}`)
    await clock.wind(1_000)
    departures.left('one')
    await clock.wind(58_000)
  }
  expect(told).toEqual([])
})

it('tells nothing of a connection that was never born, nor of a device that another hub has', async () => {
  const { clock, told, departures } = world()
  departures.left('never born')
  departures.born('one', 's1')
  departures.handedOver('one')
  departures.left('one')
  await clock.wind(120_000)
  expect(told).toEqual([])
})

it('is not moved by a clock that is set', async () => {
  const { clock, told, departures } = world()
  departures.born('one', 's1')
  departures.left('one')
  clock.set(3_600_000)
  await clock.wind(30_000)
  expect(told).toEqual([])
  clock.set(-7_200_000)
  await clock.wind(31_000)
  expect(told).toHaveLength(1)
})

it('tells later what it can not tell now, and logs nothing of it: the sweep does', async () => {
  const { clock, state, told, lines, departures } = world()
  departures.born('one', 's1')
  departures.left('one')
  state.broken = true
  await clock.wind(90_000)
  state.broken = false
  await clock.wind(2_000)
  expect(told).toEqual(['one/s1 left 0 told 91000'])
  expect(lines).toEqual([])
})

it('gives the devices that a hub before has lost a minute from its start', async () => {
  const lost = ['one', 'two'].map((deviceId) => ({ deviceId, sessionId: 'old', leftAt: 0 }))
  const { clock, start, told, state, departures } = world({ lost })
  await clock.wind(30_000)
  departures.born('two', 'new')
  await clock.wind(29_000)
  expect(told).toEqual([])
  await clock.wind(600_000)
  expect(told).toEqual([`one/old left ${-start} told 61000`])
  // It loses none while it runs.
  expect(state.looks).toBe(1)
})

it('looks again and again for the devices of other hubs, while it is the one to do so', async () => {
  const { clock, state, told } = world({ isAlone: false })
  await clock.wind(30_000)
  expect(state.looks).toBeGreaterThan(2)
  state.leads = false
  const before = state.looks
  state.lost = [{ deviceId: 'one', sessionId: undefined, leftAt: 0 }]
  await clock.wind(120_000)
  expect([state.looks, told]).toEqual([before, []])
  state.leads = true
  await clock.wind(75_000)
  expect(told).toHaveLength(1)
})
