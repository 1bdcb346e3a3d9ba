import { describe, expect, it, vi } from 'vitest'
import { settle } from '../../support/clock.ts'
import { amountsOf, goneUnnoticed, speakerThere, twoHubs } from './two-hubs.ts'

describe('a connection at one hub, of a device that another hub has,', () => {
  it('keeps nothing from the device while it is not born', async () => {
    const { here, line, deviceId } = await speakerThere()
    here.connect()
    await here.setVolume(35)
    expect(line.said('settings')).toMatchObject([{ volume: 35 }])
    await line.obey()
    await here.pay('5')
    expect(amountsOf(line)).toEqual(['5'])
    await line.obey()
    await here.pay('6')
    await here.lock()
    const heard = line.heard().length
    here.delivery.silence(deviceId)
    await settle()
    await here.clock.wind(20_000)
    expect(line.heard()).toHaveLength(heard)
  })

  it.each([true, false])('does not make the device look offline when it ends, born: %s', async (isBorn) => {
    const { here, there, left, clock, deviceId } = await goneUnnoticed()
    const line = isBorn ? left : here.connect()
    const shown = async () => (await there.storage.lists.devices.find(there.speaker.serial, 0))?.connected
    await clock.wind(5_000)
    here.delivery.leave(line.session)
    await clock.wind(5_000)
    expect(here.delivery.connectedDevices()).toEqual([])
    expect(there.delivery.connectedDevices()).toEqual([deviceId])
    expect(await shown()).toBe(true)
  })
})

it('a session whose birth has failed after its first commits gives the device up', async () => {
  const { here } = await twoHubs()
  const { outbox } = here.storage
  const { begin } = outbox
  vi.spyOn(outbox, 'begin').mockImplementationOnce(async (...args) => {
    await begin(...args)
    throw new Error('the second commit has failed')
  })
  const line = here.connect()
  await expect(line.born()).rejects.toThrow('second commit')
  expect(await outbox.owns(line.session.owner)).toBe(true)
  here.delivery.leave(line.session)
  await settle()
  expect(await outbox.owns(line.session.owner)).toBe(false)
})
