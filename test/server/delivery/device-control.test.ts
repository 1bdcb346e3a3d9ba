import { describe, expect, it } from 'vitest'
import { byPartner } from '../../../server/security/actor.ts'
import { OPERATOR } from '../../support/actors.ts'
import { settle } from '../../support/clock.ts'
import { openStage, quietStage, type Stage } from './stage.ts'

const wanted = { ver: 3, volume: 20, lang: 'en' } as const

/** Stores settings that a partner wants its speaker to use. */
async function want({ storage, clientId, speaker }: Stage, desired = wanted) {
  await storage.settings.change(byPartner(clientId), speaker.serial, desired, 0)
}

describe('settings', () => {
  it('go to a connected device at once, as a whole document', async () => {
    const { stage, line } = await quietStage()
    stage.delivery.configure(stage.speaker.deviceId, wanted)
    await settle()
    expect(line.said('settings')).toEqual([wanted])
  })

  it('go to a device at its birth when its version is older, after its announcements', async () => {
    const stage = await openStage()
    await want(stage)
    await stage.pay()
    const line = stage.connect()
    await line.born({ settingsVersion: 2 })
    await line.obey()
    expect(line.types().indexOf('settings')).toBeGreaterThan(line.types().indexOf('announce'))
    expect(line.said('settings')).toEqual([wanted])
  })

  it('do not go to a device that is up to date', async () => {
    const stage = await openStage()
    await want(stage)
    await stage.storage.settings.report(stage.speaker.deviceId, wanted, 0)
    const line = stage.connect()
    await line.born({ settingsVersion: wanted.ver })
    await line.obey()
    expect(line.types()).not.toContain('settings')
  })

  it('that are still queued are replaced by newer ones', async () => {
    const { stage, line } = await quietStage()
    const { deviceId } = stage.speaker
    await stage.pay()
    for (const ver of [4, 5, 6]) stage.delivery.configure(deviceId, { ...wanted, ver })
    await line.obey()
    expect(line.said('settings')).toEqual([{ ...wanted, ver: 6 }])
  })
})

describe('identify', () => {
  it('answers played when the device has beeped, and not before', async () => {
    const { stage, line } = await quietStage()
    const identified = stage.delivery.identify(stage.speaker.deviceId)
    await settle()
    await line.ack(line.last(), 'received')
    expect(await Promise.race([identified, settle().then(() => 'nothing yet')])).toBe('nothing yet')
    await line.ack(line.last(), 'played')
    expect(await identified).toEqual({ kind: 'done' })
  })

  it('gives up after ten seconds, and stops resending', async () => {
    const { stage, line } = await quietStage()
    const identified = stage.delivery.identify(stage.speaker.deviceId)
    await stage.clock.wind(10_000)
    expect(await identified).toEqual({ kind: 'not_responding' })
    const sendings = line.ofType('identify').length
    await stage.clock.wind(60_000)
    expect(line.ofType('identify')).toHaveLength(sendings)
  })

  it('beeps once for all requests that come during it', async () => {
    const { stage, line } = await quietStage()
    const all = Array.from({ length: 5 }, () => stage.delivery.identify(stage.speaker.deviceId))
    await settle()
    await line.obey()
    expect(await Promise.all(all)).toEqual(all.map(() => ({ kind: 'done' })))
    expect(line.ofType('identify')).toHaveLength(1)
    const again = stage.delivery.identify(stage.speaker.deviceId)
    await settle()
    await line.obey()
    expect(await again).toEqual({ kind: 'done' })
    expect(line.ofType('identify')).toHaveLength(2)
  })
})

it.each([3_600_000, -3_600_000])(
  'settings under way are sent again when the clock is set by %i ms, in the same session',
  async (byMs) => {
    const { stage, line } = await quietStage()
    const { serial, deviceId } = stage.speaker
    const { settings } = stage.storage
    await settings.report(deviceId, { ver: 1, volume: 50, lang: 'vi' }, 0)
    await settings.change(OPERATOR, serial, { volume: 70 }, stage.clock.now())
    stage.delivery.configure(deviceId, { ver: 2, volume: 70, lang: 'vi' })
    await settle()
    const before = line.ofType('settings').length
    stage.clock.set(byMs)
    await stage.clock.wind(1_000)
    await line.obey()
    const again = line.ofType('settings').slice(before)
    expect(again.map(({ command }) => command.d)).toEqual([{ ver: 2, volume: 70, lang: 'vi' }])
    await settings.report(deviceId, { ver: 2, volume: 70, lang: 'vi' }, 0)
    stage.clock.set(byMs)
    await stage.clock.wind(1_000)
    await line.obey()
    expect(line.ofType('settings')).toHaveLength(before + 1)
  },
)
