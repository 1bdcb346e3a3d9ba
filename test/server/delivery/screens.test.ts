import { describe, expect, it, vi } from 'vitest'
import { FINAL_STAGE } from '../../../protocol/messages/command.ts'
import { ANNOUNCEMENT_FRESH_MS } from '../../../server/announcements/announcement.ts'
import { settle } from '../../support/clock.ts'
import { openStage, quietLine, quietStage } from './stage.ts'

describe('a lock', () => {
  it('silences the device: nothing is queued or sent again, and its bill is cleared', async () => {
    const { stage, line } = await quietStage()
    await stage.putBill()
    await line.obey()
    const paid = [await stage.pay('1'), await stage.pay('2')]
    await stage.lock()
    stage.delivery.silence(stage.speaker.deviceId)
    stage.delivery.refresh(stage.speaker.deviceId)
    await settle()
    await line.obey()
    const last = line.heard().slice(-2)
    expect(last.map(({ command }) => command)).toMatchObject([
      { t: 'profile', d: { locked: true } },
      { t: 'clear', d: { what: 'qr' } },
    ])
    await stage.clock.wind(200_000)
    expect(line.ofType('announce')).toHaveLength(1)
    for (const ftCode of paid) expect(await stage.trail(ftCode)).toMatchObject({ stage: 'suppressed' })
  })

  it('is on the screen at once and at every birth, without a QR, until it is lifted', async () => {
    const stage = await openStage()
    const { speaker, delivery } = stage
    await stage.changeStore({ staticQRCode: 'STATIC' })
    const line = await quietLine(stage)
    const name = 'Phở Hà'
    const lock = async (active: boolean) => {
      await stage.lock(active)
      delivery.refresh(speaker.deviceId)
      await settle()
    }
    const profilesOf = (one: typeof line) => one.said('profile')
    await lock(false)
    const locked = { name, qr: '', locked: true }
    expect(profilesOf(line)).toEqual([{ name, qr: 'STATIC' }, locked])
    await line.obey()
    delivery.leave(line.session)
    const back = await quietLine(stage)
    expect(profilesOf(back)).toEqual([locked])
    await stage.putBill('B1')
    await back.obey()
    expect(back.ofType('qr')).toHaveLength(0)
    await lock(true)
    await back.obey()
    expect(profilesOf(back)).toEqual([locked, { name, qr: 'STATIC' }])
    expect(back.said('qr')).toMatchObject([{ bill: 'B1' }])
  })

  it('does not drop a code that is in flight', async () => {
    const { stage, line } = await quietStage()
    const { deviceId } = stage.speaker
    const shown = stage.delivery.showCode(deviceId, '123456', stage.clock.now() + 300_000)
    stage.delivery.silence(deviceId)
    await settle()
    await line.obey()
    expect(await shown).toEqual({ kind: 'done' })
  })
})

describe('a bill that ended while the device was offline', () => {
  async function shownAndAway() {
    const { stage, line } = await quietStage()
    await stage.putBill('B1')
    await line.obey()
    stage.delivery.leave(line.session)
    return stage
  }

  it('is cleared at the next birth when it was paid, once, and not when its time is over', async () => {
    const stage = await shownAndAway()
    await stage.pay('50000', { billNumber: 'B1' })
    // The announcement that would have cleared the bill has expired by then.
    await stage.clock.wind(200_000)
    const back = await quietLine(stage)
    stage.delivery.refresh(stage.speaker.deviceId)
    await settle()
    expect(back.said('clear')).toEqual([{ what: 'qr' }])
    await stage.clock.wind(15 * 60_000)
    expect((await quietLine(stage)).ofType('clear')).toHaveLength(0)
  })
})

describe('the idle screen', () => {
  it('is sent again only when it has changed', async () => {
    const { stage, line } = await quietStage()
    const { deviceId } = stage.speaker
    stage.delivery.refresh(deviceId)
    await settle()
    expect(line.ofType('profile')).toHaveLength(1)
    await stage.changeStore({ storeName: 'Mới' })
    stage.delivery.refresh(deviceId)
    await settle()
    expect(line.last()).toMatchObject({ t: 'profile', d: { name: 'Mới' } })
  })
})

describe('a bill on the screen', () => {
  it('is shown for as long as it is valid, also to a device that comes back', async () => {
    const stage = await openStage()
    await stage.putBill()
    await stage.clock.wind(890_000)
    expect((await quietLine(stage)).last()).toMatchObject({ t: 'qr', ttl: 10, d: { qr: 'QR', bill: 'B1' } })
    await stage.clock.wind(10_000)
    expect((await quietLine(stage)).types()).not.toContain('qr')
  })

  it('is not sent when the device is released while the number of its command is being stored', async () => {
    const { stage, line } = await quietStage()
    const { outbox } = stage.storage
    const { promise: number, resolve } = Promise.withResolvers<number | undefined>()
    vi.spyOn(outbox, 'nextNumber').mockReturnValueOnce(number)
    await stage.putBill()
    await stage.release()
    stage.delivery.refresh(stage.speaker.deviceId)
    await settle()
    resolve(outbox.nextNumber(line.session))
    await settle()
    await line.obey()
    expect(line.types()).toEqual(['welcome', 'profile', 'profile', 'clear'])
  })

  it('is cleared only on the screen that shows it', async () => {
    const { stage, line } = await quietStage()
    const other = await stage.shop.speaker(stage.clientId, 'T2')
    const otherLine = await quietLine(stage, other)
    const billId = await stage.putBill()
    await line.obey()
    const devices = [stage.speaker.deviceId, other.deviceId]
    stage.delivery.clearBill(devices, billId)
    stage.delivery.clearBill(devices, billId)
    await settle()
    await line.obey()
    expect(line.ofType('clear')).toHaveLength(1)
    expect(otherLine.types()).not.toContain('clear')
  })

  it('stays when an older bill is paid', async () => {
    const { stage, line } = await quietStage()
    const older = await stage.putBill('B1')
    await stage.clock.wind(1)
    await stage.putBill('B2')
    await line.obey()
    stage.delivery.clearBill([stage.speaker.deviceId], older)
    await settle()
    expect(line.types()).not.toContain('clear')
    expect(line.last().d).toMatchObject({ bill: 'B2' })
  })

  it('is not shown when it was paid while it was queued', async () => {
    const { stage, line } = await quietStage()
    await stage.pay()
    const billId = await stage.putBill()
    await stage.pay('50000', { billNumber: 'B1' })
    stage.delivery.clearBill([stage.speaker.deviceId], billId)
    await settle()
    await line.obey()
    expect(line.types()).not.toContain('qr')
    expect(line.last()).toMatchObject({ t: 'clear', d: { what: 'qr' } })
  })

  it('is replaced by a bill that is not paid yet', async () => {
    const { stage, line } = await quietStage()
    await stage.putBill('B1')
    await stage.clock.wind(1)
    const newer = await stage.putBill('B2')
    await line.obey()
    await stage.pay('50000', { billNumber: 'B2' })
    stage.delivery.clearBill([stage.speaker.deviceId], newer)
    await settle()
    await line.obey()
    expect(line.types().slice(-2)).toEqual(['clear', 'qr'])
    expect(line.last().d).toMatchObject({ bill: 'B1' })
  })

  it('is cleared when the QR of the next one does not fit the device', async () => {
    const { stage, line } = await quietStage()
    await stage.putBill('B1')
    await line.obey()
    await stage.clock.wind(1)
    await stage.putBill('B2', 'q'.repeat(600))
    expect(line.last()).toMatchObject({ t: 'clear', d: { what: 'qr' } })
  })
})

it('shows no notice of missed payments again to a device that was released meanwhile', async () => {
  const stage = await openStage()
  await stage.pay()
  await stage.clock.wind(ANNOUNCEMENT_FRESH_MS + 1_000)
  const line = stage.connect()
  await line.born()
  const notices = () => line.ofType('missed').length
  while (notices() === 0) await line.ack(line.last(), FINAL_STAGE[line.last().t])
  await stage.release()
  stage.delivery.silence(stage.speaker.deviceId)
  await stage.clock.wind(60_000)
  expect(notices()).toBe(1)
})
