import { expect, it } from 'vitest'
import { step } from '../../../../simulator/speaker/device/device.ts'
import { announcementOf } from '../../support/announcement.ts'
import { welcomedSpeaker } from '../../support/speaker-at-double.ts'
import { WoundClock } from '../../support/wound-clock.ts'

it('has one session when it is started while it says goodbye for a reconnect', async () => {
  const { hub, speaker, watch } = await welcomedSpeaker()
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
  const { speaker, watch } = await welcomedSpeaker({
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
