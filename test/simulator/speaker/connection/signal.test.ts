import { expect, it } from 'vitest'
import { NO_SIGNAL, NORMAL_VITALS } from '../../../../simulator/speaker/device/state/state.ts'
import { welcomedSpeaker } from '../../support/speaker-at-double.ts'

it('has no signal without its cable, and tells every change, also of a cable that is plugged in without power', async () => {
  const { speaker, watch } = await welcomedSpeaker()
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
