import { expect, it, onTestFinished } from 'vitest'
import { NO_SIGNAL, NORMAL_VITALS } from '../../../../simulator/speaker/device/state/state.ts'
import { volatileMemory } from '../../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../../simulator/speaker/speaker.ts'
import { startHubDouble } from '../../support/hub-double.ts'
import { Watch } from '../../support/watch.ts'

const SERIAL = 'SPK-TEST-08'
const KEY = Buffer.alloc(32, 8)

it('has no signal without its cable, and tells every change, also of a cable that is plugged in without power', async () => {
  const hub = await startHubDouble({ serial: SERIAL, key: KEY })
  onTestFinished(() => hub.close())
  const options = { serial: SERIAL, key: KEY, url: hub.url, memory: volatileMemory(), random: () => 0 }
  const speaker = createSpeaker(options)
  onTestFinished(() => speaker.stop())
  const watch = new Watch(speaker)
  speaker.start()
  await watch.next('connected')
  expect(speaker.snapshot()).toMatchObject({ link: 'welcomed', signal: NORMAL_VITALS.signal })

  await speaker.cutNetwork()
  expect(await watch.next('vitals')).toMatchObject({ signal: NO_SIGNAL })
  expect(speaker.snapshot()).toMatchObject({ link: 'offline', signal: NO_SIGNAL })

  await speaker.powerOff()
  expect(speaker.snapshot()).toMatchObject({ power: false, signal: NO_SIGNAL })
  speaker.start()
  speaker.powerOn()
  expect(await watch.next('vitals')).toMatchObject({ signal: NORMAL_VITALS.signal })
  expect(speaker.snapshot()).toMatchObject({ power: true, signal: NORMAL_VITALS.signal })
})
