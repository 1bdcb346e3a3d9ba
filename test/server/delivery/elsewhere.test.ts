import { describe, expect, it, vi } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../server/announcements/announcement.ts'
import { settle } from '../../support/clock.ts'
import { payWell } from '../storage/shop.ts'
import { expectRising, quietLine, type Stage } from './stage.ts'
import { amountsOf, goneUnnoticed, speakerThere, twoHubs } from './two-hubs.ts'

/** A hub finds by then what no wake-up has told. */
const FOUND_WITHIN_MS = 1_500

describe('a payment that another hub has recorded', () => {
  it('is spoken at once: a wake-up tells of it', async () => {
    const { here, line } = await speakerThere()
    const ftCode = await here.pay('50000')
    expect(amountsOf(line)).toEqual(['50000'])
    expect(await here.trail(ftCode)).toMatchObject({ stage: 'sent' })
    await line.obey()
    expect(await here.trail(ftCode)).toMatchObject({ stage: 'played' })
    expect(line.ofType('announce')).toHaveLength(1)
  })

  it.each([0, 1, 499, 500, 501, 999])(
    'is found without a wake-up when it is recorded %i ms after a look',
    async (afterMs) => {
      const { here, line, wire, clock } = await speakerThere()
      wire.isCut = true
      await clock.wind(afterMs)
      await here.pay('50000')
      expect(amountsOf(line)).toEqual([])
      await clock.wind(FOUND_WITHIN_MS)
      expect(amountsOf(line)).toEqual(['50000'])
      await line.obey()
      await clock.wind(FOUND_WITHIN_MS)
      expect(amountsOf(line)).toEqual(['50000'])
    },
  )

  it.each([false, true])(
    'leaves by rising number among those of its own hub, wire cut: %s',
    async (isCut) => {
      const { here, there, line, wire, clock } = await speakerThere()
      wire.isCut = isCut
      for (const [index, hub] of [here, there, here, here, there, there, here].entries()) {
        await hub.pay(String(index + 1))
        if (index % 3 === 2) await line.obey()
      }
      for (let look = 0; look < 3; look += 1) {
        await line.obey()
        await clock.wind(1_000)
      }
      await line.obey()
      expect(amountsOf(line)).toEqual(['1', '2', '3', '4', '5', '6', '7'])
      expectRising(line, 7)
    },
  )

  it('leaves before one that its own hub has recorded after it, though that hub is free', async () => {
    const { here, there, line, wire, deviceId } = await speakerThere()
    await there.pay('1')
    await line.obey()
    wire.isCut = true
    const recorded = await there.delivery.claim('till', async (speakers) => {
      expect(speakers).toMatchObject([{ deviceId }])
      await here.pay('2')
      const payment = there.shop.payment(there.clientId, { amount: '3' })
      return there.storage.payments.record(payment, speakers)
    })
    if (recorded.kind !== 'recorded') throw new Error('not recorded')
    there.delivery.announce(recorded.announcements, 'till', there.clock.now())
    await settle()
    await line.obey()
    expect(amountsOf(line)).toEqual(['1', '2', '3'])
  })

  it('is found when its commit has told nobody that it came through, and it is stored as sent', async () => {
    const { there, line, clock } = await speakerThere()
    await there.pay('1')
    await line.obey()
    const payment = there.shop.payment(there.clientId, { amount: '2', receivedAt: clock.now() })
    const claimed = there.delivery.claim('till', async (speakers) => {
      const recorded = await there.storage.payments.record(payment, speakers)
      expect(recorded).toMatchObject({ announcements: [{ stage: 'sent' }] })
      throw new Error('the connection was lost')
    })
    await expect(claimed).rejects.toThrow('the connection was lost')
    await clock.wind(FOUND_WITHIN_MS)
    await line.obey()
    expect(amountsOf(line)).toEqual(['1', '2'])
  })

  it('is one of many that both hubs record at once: all leave once, by rising number', async () => {
    const { here, there, line } = await speakerThere()
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => [here, there][index % 2]?.pay(String(index + 1))),
    )
    await line.obey()
    expectRising(line, 30)
  })
})

describe('a device that goes to another hub', () => {
  it('is closed at the first one by a wake-up', async () => {
    const { here, there, wire, deviceId } = await twoHubs()
    const left = await quietLine(here)
    const line = await quietLine(there)
    expect(wire.told).toContainEqual(['owner', deviceId])
    expect(left.state.closed).toBe(true)
    expect([here, there].map(({ delivery }) => delivery.connectedDevices())).toEqual([[], [deviceId]])
    expect(line.types()).toEqual(['welcome', 'profile'])
    expect(line.state.closed).toBe(false)
  })

  it('can come back, and leaves nothing of its old session', async () => {
    const { here, there, deviceId } = await twoHubs()
    await quietLine(here)
    const line = await quietLine(there)
    const back = await quietLine(here)
    expect(line.state.closed).toBe(true)
    there.delivery.leave(line.session)
    await settle()
    await there.pay('5')
    expect(amountsOf(back)).toEqual(['5'])
    expect(here.delivery.connectedDevices()).toEqual([deviceId])
  })

  it.each<[act: string, (hub: Stage) => unknown]>([
    ['an announcement', ({ pay }) => pay('2')],
    ['the number of a command', ({ putBill }) => putBill()],
    [
      'a look for announcements',
      ({ storage, clock, clientId, shop }) =>
        payWell(shop, clientId, { amount: '2', receivedAt: clock.now() }).then(async () => {
          expect(await storage.outbox.backlog()).toMatchObject({ open: 1 })
          await clock.wind(FOUND_WITHIN_MS)
        }),
    ],
    [
      'a welcome after the clock was set',
      async ({ clock }) => {
        clock.set(3_600_000)
        await clock.wind(1_000)
      },
    ],
  ])('is closed at the first one by the next act that the storage refuses: %s', async (_, act) => {
    const { here, there, left, line, before, deviceId } = await goneUnnoticed()
    await act(here)
    await settle()
    expect(left.state.closed).toBe(true)
    expect(left.heard()).toHaveLength(before)
    expect(here.delivery.connectedDevices()).toEqual([])
    expect(there.delivery.connectedDevices()).toEqual([deviceId])
    expect(line.state.closed).toBe(false)
  })

  it('speaks at the new hub what the old one has claimed for it', async () => {
    const { here, left, line, before, deviceId } = await goneUnnoticed()
    const { storage, shop, clientId, clock } = here
    const payment = shop.payment(clientId, { amount: '2', receivedAt: clock.now() })
    const recorded = await here.delivery.claim('till', (speakers) => {
      expect(speakers).toMatchObject([{ deviceId, sessionId: left.session.sessionId }])
      return storage.payments.record(payment, speakers)
    })
    expect(recorded).toMatchObject({ announcements: [{ stage: 'queued' }] })
    if (recorded.kind === 'recorded') here.delivery.announce(recorded.announcements, 'till', clock.now())
    await settle()
    expect([left.state.closed, left.heard().length]).toEqual([true, before])
    expect(amountsOf(line)).toEqual(['2'])
  })

  it('is not judged by the old hub: what it has not heard there is not unheard', async () => {
    const { here, there, wire, clock } = await twoHubs()
    await quietLine(here)
    const ftCode = await here.pay('7')
    wire.isCut = true
    const line = there.connect()
    await line.born()
    await line.ack(line.last(), 'shown')
    const [announced] = line.ofType('announce')
    if (!announced) return expect.fail('nothing was announced')
    await line.ack(announced.command, 'received')
    await clock.wind(ANNOUNCEMENT_FRESH_MS)
    expect(await here.trail(ftCode)).toMatchObject({ stage: 'received' })
    await line.ack(announced.command, 'played')
    expect(await here.trail(ftCode)).toMatchObject({ stage: 'played' })
  })
})

describe('what is changed at another hub reaches the device:', () => {
  it('a lock ends what waits and what is under way', async () => {
    const { here, there, line, deviceId } = await speakerThere()
    const { clock, delivery } = here
    const first = await there.pay('1')
    await here.pay('2')
    expect(amountsOf(line)).toEqual(['1'])
    const heard = line.heard().length
    await here.lock()
    delivery.silence(deviceId)
    await settle()
    expect(await here.trail(first)).toMatchObject({ stage: 'suppressed' })
    // Nothing is sent again, and nothing else is sent.
    await clock.wind(20_000)
    await line.obey()
    await clock.wind(1_000)
    expect(line.heard()).toHaveLength(heard)
    await here.lock(true)
    await here.pay('3')
    expect(amountsOf(line)).toEqual(['1', '3'])
  })

  it('a lock reaches the screen, and so does its end', async () => {
    const { here, line, deviceId } = await speakerThere()
    for (const active of [false, true]) {
      await here.lock(active)
      here.delivery.refresh(deviceId)
      await settle()
      await line.obey()
    }
    const shown = line.said('profile')
    expect(shown.map((profile) => 'locked' in profile)).toEqual([false, true, false])
  })

  it('a bill, and its end', async () => {
    const { here, line, deviceId } = await speakerThere()
    const billId = await here.putBill()
    expect(line.said('qr')).toMatchObject([{ bill: 'B1' }])
    await line.obey()
    const { storage, shop, clientId, clock, delivery } = here
    const paid = shop.payment(clientId, { billNumber: 'B1', receivedAt: clock.now() })
    const recorded = await storage.payments.record(paid)
    expect(recorded).toMatchObject({ paidBill: { id: billId, deviceIds: [deviceId] } })
    delivery.clearBill([deviceId], billId)
    await settle()
    expect(line.ofType('clear')).toHaveLength(1)
  })

  it('a new key and firmware', async () => {
    const { here, there } = await twoHubs()
    const line = there.connect()
    await line.born({ firmware: '1.0', caps: ['rekey', 'update'] })
    await line.obey()
    await here.give('key')
    await here.give('firmware')
    await line.obey()
    expect([line.ofType('rekey').length, line.ofType('update').length]).toEqual([1, 1])
  })

  it('a payment that it has missed, as the hub that it has left hears', async () => {
    const { here, there, wire, deviceId } = await twoHubs()
    const left = await quietLine(here)
    await here.pay('9')
    const announced = left.last()
    const line = there.connect()
    const { outbox } = here.storage
    const { recordAck } = outbox
    // The device goes while its ack is being stored.
    vi.spyOn(outbox, 'recordAck').mockImplementationOnce(async (...args) => {
      await line.born()
      return recordAck(...args)
    })
    await left.ack(announced, 'failed', 'audio_failed')
    expect(wire.told).toContainEqual(['missed', deviceId])
    await line.obey()
    expect(line.said('missed')).toMatchObject([{ count: 1, amount: '9' }])
  })
})
