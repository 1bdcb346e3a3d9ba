import { describe, expect, it, vi } from 'vitest'
import { ALONE } from '../../../server/cluster/cluster.ts'
import { settle } from '../../support/clock.ts'
import { openStage, quietLine } from './stage.ts'

const HOUR_MS = 60 * 60_000

describe('a clock that is set back, on a storage that hubs share', () => {
  it('is left to the one hub that deals with it, and the devices are welcomed after that', async () => {
    const done = Promise.withResolvers<void>()
    const stage = await openStage({ cluster: { ...ALONE, onceSetBack: () => done.promise } })
    const line = await quietLine(stage)
    const clockSetBack = vi.spyOn(stage.storage.outbox, 'clockSetBack')
    const before = line.types().length
    stage.clock.set(-HOUR_MS)
    await stage.clock.wind(1_000)
    expect(line.types()).toHaveLength(before)
    done.resolve()
    await settle()
    expect(line.types().slice(before)).toEqual(['welcome'])
    expect(clockSetBack).not.toHaveBeenCalled()
  })

  it('keeps what another hub has stored before this one could see the step', async () => {
    const stage = await openStage({ cluster: { ...ALONE, onceSetBack: (act) => act(2_000) } })
    const clockSetBack = vi.spyOn(stage.storage.outbox, 'clockSetBack')
    stage.clock.set(-HOUR_MS)
    await stage.clock.wind(1_000)
    const [[at, step] = []] = clockSetBack.mock.calls
    expect(step).toEqual({ byMs: HOUR_MS, since: (at ?? 0) - 1_000 - 2_000 })
  })
})
