import { describe, expect, it } from 'vitest'
import type { WakeKind } from '../../../server/cluster/wakeups.ts'
import { settle } from '../../support/clock.ts'
import { expectRising } from './stage.ts'
import { amountsOf, speakerThere } from './two-hubs.ts'

const KINDS: WakeKind[] = [
  ...(['owner', 'news', 'silence', 'missed', 'screen', 'settings', 'maintenance', 'everything'] as const),
]
describe('a wake-up that is forged or doubled', () => {
  /** Tells both hubs everything, about this device, others and all. */
  async function forgeAll({ wire, deviceId }: Awaited<ReturnType<typeof speakerThere>>, kind: WakeKind) {
    for (const deviceIds of [[deviceId], [deviceId, deviceId], ['nobody'], [], undefined])
      wire.forge(kind, deviceIds)
    await settle()
  }

  it.each(KINDS)('changes nothing for a quiet device: %s', async (kind) => {
    const hubs = await speakerThere()
    const { line, here, there, clock } = hubs
    const before = line.heard().length
    await forgeAll(hubs, kind)
    expect(line.heard()).toHaveLength(before)
    expect(line.state.closed).toBe(false)
    await here.pay('2')
    await forgeAll(hubs, kind)
    await line.obey()
    await there.pay('3')
    await line.obey()
    await clock.wind(3_000)
    await line.obey()
    expect(amountsOf(line)).toEqual(['2', '3'])
  })

  it.each(KINDS)(
    'sends nothing twice to a device that is speaking, with others waiting: %s',
    async (kind) => {
      const hubs = await speakerThere()
      const { line, here, there } = hubs
      for (const hub of [here, there, here]) await hub.pay('2')
      await forgeAll(hubs, kind)
      expect(line.ofType('announce')).toHaveLength(1)
      await line.ack(line.last(), 'received')
      await forgeAll(hubs, kind)
      await line.obey()
      expectRising(line, 3)
    },
  )

  it.each(KINDS)('sends a notice of missed payments once: %s', async (kind) => {
    const hubs = await speakerThere()
    const { line, there } = hubs
    await there.pay('7')
    await line.ack(line.last(), 'failed', 'audio_failed')
    await forgeAll(hubs, kind)
    expect(line.ofType('missed')).toHaveLength(1)
    await line.ack(line.last(), 'shown')
    await forgeAll(hubs, kind)
    expect(line.ofType('missed')).toHaveLength(1)
  })

  it.each(KINDS)('does not lose a notice that waits: %s', async (kind) => {
    const hubs = await speakerThere()
    const { line, there } = hubs
    await there.pay('7')
    const [failed] = line.ofType('announce')
    await there.pay('8')
    if (!failed) return expect.fail('nothing was announced')
    await line.ack(failed.command, 'failed', 'audio_failed')
    expect(line.ofType('missed')).toEqual([])
    await forgeAll(hubs, kind)
    await line.ack(line.last(), 'played')
    expect(line.said('missed')).toMatchObject([{ count: 1, amount: '7' }])
  })

  it.each(KINDS)(
    'sends nothing again that the device has, shows or is about to confirm: %s',
    async (kind) => {
      const hubs = await speakerThere()
      const { there } = hubs
      const line = there.connect()
      await line.born({ caps: ['rekey'] })
      await line.obey()
      await there.putBill()
      await there.setVolume(35)
      await there.give('key')
      await line.obey()
      expect(line.types()).toEqual(expect.arrayContaining(['qr', 'settings', 'rekey']))
      const before = line.heard().length
      await forgeAll(hubs, kind)
      await line.obey()
      expect(line.heard()).toHaveLength(before)
    },
  )
})
