import { expect, it } from 'vitest'
import type { Outbox, Owner } from '../../../server/announcements/ports.ts'
import { ALONE, type Cluster } from '../../../server/cluster/cluster.ts'
import { createReleases } from '../../../server/delivery/releases.ts'
import { HubError } from '../../../server/platform/errors.ts'
import { createLog } from '../../../server/platform/log.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'
import { quietLine } from './stage.ts'
import { twoHubs } from './two-hubs.ts'

const SHARED: Cluster = { ...ALONE, wakeups: { ...ALONE.wakeups, isAlone: false } }

function world(act?: () => Promise<void>) {
  const clock = createVirtualClock()
  const acts: number[] = []
  const left = new Set<string>()
  const state: { error: Error | undefined } = { error: undefined }
  const lines: string[] = []
  async function leave(owners: readonly Owner[]) {
    if (act) return act()
    await settle()
    if (state.error) throw state.error
    acts.push(owners.length)
    for (const { sessionId } of owners) left.add(sessionId)
  }
  const releases = createReleases({
    ...{ outbox: { leave } as Outbox, cluster: SHARED },
    clock,
    log: createLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) }),
  })
  let sessions = 0
  const end = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      sessions += 1
      releases.add({ deviceId: `d${sessions}`, sessionId: `s${sessions}` })
    }
  }
  return { clock, acts, left, state, lines, releases, end }
}

it('gives up 5,000 devices that a broken network cuts off in eleven acts', async () => {
  const { acts, left, clock, end } = world()
  end(5_000)
  await clock.wind(0)
  for (let turn = 0; turn < 20; turn += 1) await settle()
  expect(left.size).toBe(5_000)
  expect(acts).toEqual([1, ...Array(9).fill(500), 499])
})

it('tries again while the storage is away, says so once, and once when it is back', async () => {
  const { acts, left, state, lines, clock, end } = world()
  state.error = new HubError('UNAVAILABLE')
  end(20)
  await clock.wind(5_000)
  end(20)
  await clock.wind(5_000)
  expect([acts, lines]).toEqual([[], ['devices can not be given up now: it is tried again']])
  state.error = undefined
  await clock.wind(1_000)
  expect([acts, left.size]).toEqual([[40], 40])
  expect(lines.slice(1)).toEqual(['devices are given up again'])
})

it('does not try again what the storage refuses', async () => {
  const { acts, state, lines, clock, end } = world()
  state.error = new Error('a bug')
  end(1)
  await clock.wind(0)
  expect(lines).toEqual(['devices can not be given up'])
  state.error = undefined
  end(2)
  await clock.wind(10_000)
  expect(acts).toEqual([1, 1])
})

it('stores what waits when it stops, and waits for no storage that is away', async () => {
  const { acts, state, clock, releases, end } = world()
  end(3)
  await releases.stop()
  expect(acts).toEqual([1, 2])
  state.error = new HubError('UNAVAILABLE')
  end(3)
  await releases.stop()
  state.error = undefined
  await clock.wind(10_000)
  expect(acts).toEqual([1, 2])
})

it.each(Array.from({ length: 12 }, (_, turns) => turns))(
  'tries nothing again behind its end: another session ends %i turns after an act, and the storage goes away',
  async (turns) => {
    let calls = 0
    const { clock, releases } = world(async () => {
      calls += 1
      if (calls > 1) throw new HubError('UNAVAILABLE')
      void (async () => {
        for (let turn = 0; turn < turns; turn += 1) await undefined
        releases.add({ deviceId: 'd2', sessionId: 's2' })
      })()
    })
    releases.add({ deviceId: 'd1', sessionId: 's1' })
    await releases.stop()
    await settle()
    const before = calls
    await clock.wind(10_000)
    expect(calls).toBe(before)
  },
)

it('gives up the devices of lines that end together: another hub can tell that they are gone', async () => {
  const { here, there } = await twoHubs()
  const lines = [await quietLine(here)]
  for (let count = 0; count < 30; count += 1) lines.push(await quietLine(here, await here.shop.device()))
  for (const { session } of lines) here.delivery.leave(session)
  await settle()
  const owned = await Promise.all(lines.map(({ session }) => there.storage.outbox.owns(session.owner)))
  expect(owned).not.toContain(true)
})
