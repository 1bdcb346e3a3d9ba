import { describe, expect, it } from 'vitest'
import { settle } from '../../support/clock.ts'
import { until } from '../../support/wait.ts'
import { speakerThere, twoHubs } from './two-hubs.ts'

describe('a device at another hub', () => {
  it('is connected, until that hub has lost it', async () => {
    const { here, there, line } = await speakerThere()
    const { serial } = here.speaker
    const seen = () => Promise.all([here, there].map(({ delivery }) => delivery.presence.isConnected(serial)))
    expect(await seen()).toEqual([true, true])
    expect([here, there].map(({ delivery }) => delivery.isConnected(serial))).toEqual([false, true])
    there.delivery.leave(line.session)
    expect(await seen()).toEqual([false, false])
  })

  it('shows a code, and this hub answers when it is shown', async () => {
    const { here, line, deviceId, clock } = await speakerThere()
    const expiresAt = clock.now() + 300_000
    const shown = here.delivery.showCode(deviceId, '123456', expiresAt)
    await settle()
    expect(line.said('code')).toMatchObject([{ code: '123456' }])
    expect(await Promise.race([shown, settle().then(() => 'nothing yet')])).toBe('nothing yet')
    await line.ack(line.last(), 'shown')
    expect(await shown).toEqual({ kind: 'done' })
    here.delivery.clearCode(deviceId)
    await settle()
    expect(line.last()).toMatchObject({ t: 'clear', d: { what: 'code' } })
  })

  it('that does not show a code is not responding, and clears its screen', async () => {
    const { here, line, deviceId, clock } = await speakerThere()
    const shown = here.delivery.showCode(deviceId, '123456', clock.now() + 300_000)
    await clock.wind(5_000)
    expect(await shown).toEqual({ kind: 'not_responding' })
    expect(line.last()).toMatchObject({ t: 'clear', d: { what: 'code' } })
  })

  it('beeps once for requests at both hubs', async () => {
    const { here, there, line, deviceId } = await speakerThere()
    const asked = [here, there, here].map(({ delivery }) => delivery.identify(deviceId))
    await settle()
    await line.obey()
    expect(await Promise.all(asked)).toEqual(asked.map(() => ({ kind: 'done' })))
    expect(line.ofType('identify')).toHaveLength(1)
  })

  it('is offline when it goes while it is asked', async () => {
    const { here, there, line, deviceId } = await speakerThere()
    const asked = here.delivery.identify(deviceId)
    await settle()
    there.delivery.leave(line.session)
    expect(await asked).toEqual({ kind: 'offline' })
  })
})

it('a device at no hub is offline', async () => {
  const { here, deviceId, clock } = await twoHubs()
  expect(await here.delivery.presence.isConnected(here.speaker.serial)).toBe(false)
  expect(await here.delivery.identify(deviceId)).toEqual({ kind: 'offline' })
  expect(await here.delivery.showCode(deviceId, '123456', clock.now() + 1_000)).toEqual({ kind: 'offline' })
  here.delivery.clearCode(deviceId)
  await settle()
  expect(here.warnings).toEqual([])
})

it('codes that two hubs are asked for come to the screen one after another', async () => {
  const { here, there, line } = await speakerThere()
  const { clientId, speaker } = here
  const sent = [here, there].map(({ verbs }) => verbs.sendVerification(clientId, speaker.serial))
  await until('a code', () => line.ofType('code').length > 0)
  await settle()
  expect(line.ofType('code')).toHaveLength(1)
  await line.obey()
  await until('the other code', () => line.ofType('code').length > 1)
  await line.obey()
  expect((await Promise.all(sent)).map(({ codesRemaining }) => codesRemaining).sort()).toEqual([0, 1])
})
