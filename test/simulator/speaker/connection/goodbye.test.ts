import { expect, it, onTestFinished } from 'vitest'
import { step } from '../../../../simulator/speaker/device/device.ts'
import { volatileMemory } from '../../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../../simulator/speaker/speaker.ts'
import type { SpeakerOptions } from '../../../../simulator/speaker/speaker-options.ts'
import { announcementOf } from '../../support/announcement.ts'
import { startHubDouble } from '../../support/hub-double.ts'
import { Watch } from '../../support/watch.ts'
import { WoundClock } from '../../support/wound-clock.ts'

/** A speaker that its hub has welcomed. */
async function connected(options: Partial<SpeakerOptions> = {}) {
  const own = { serial: 'SPK-TEST-01', key: Buffer.alloc(32, 1) }
  const hub = await startHubDouble(own)
  const memory = volatileMemory()
  const speaker = createSpeaker({ ...own, url: hub.url, memory, config: { msPerClip: 1 }, ...options })
  onTestFinished(async () => {
    await speaker.stop()
    await hub.close()
  })
  const watch = new Watch(speaker)
  speaker.start()
  await watch.next('connected')
  return { hub, speaker, watch }
}

it('has one session when it is started while it says goodbye for a reconnect', async () => {
  const { hub, speaker, watch } = await connected()
  const again = speaker.reconnect()
  speaker.start()
  await again
  await watch.next('connected')
  const id = await hub.send('announce', announcementOf('50000'))
  await hub.until((heard) => heard.body.id === id && heard.body.st === 'played')
  expect(hub.connects).toHaveLength(2)
})

it('stays off when its power is cut while it says goodbye for a restart', async () => {
  const clock = new WoundClock()
  const { speaker, watch } = await connected({
    clock,
    step: (state, event) =>
      event.type === 'dismiss' ? { state, effects: [{ type: 'restart' }] } : step(state, event),
  })
  speaker.dismiss()
  await speaker.powerOff()
  // The goodbye waits no longer.
  clock.wind(2_000)
  await new Promise(setImmediate)
  expect(speaker.snapshot().power).toBe(false)
  expect(watch.events.filter(({ event }) => event === 'power')).toEqual([{ event: 'power', on: false }])
})
