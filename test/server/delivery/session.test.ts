import { describe, expect, it } from 'vitest'
import { openStage, quietLine, quietStage } from './stage.ts'

describe('after its birth a device gets', () => {
  it('sb/1 7.1: the welcome first, and nothing else before it has received the welcome', async () => {
    const stage = await openStage()
    await stage.pay()
    const line = stage.connect()
    await line.born()
    expect(line.types()).toEqual(['welcome'])
    expect(line.last().d).toEqual({ now: Math.floor(stage.clock.now() / 1000), n: 1, linked: true })
    await line.ack(line.last(), 'received')
    expect(line.types()).toEqual(['welcome', 'announce'])
  })

  it('nothing before the birth', async () => {
    const stage = await openStage()
    const line = stage.connect()
    await stage.pay()
    stage.delivery.refresh(stage.speaker.deviceId)
    await stage.clock.wind(20_000)
    expect(line.heard()).toEqual([])
    expect(stage.delivery.isConnected(stage.speaker.serial)).toBe(false)
  })

  it('its open announcements by rising number, then its screen', async () => {
    const stage = await openStage()
    await stage.pay('1')
    await stage.pay('2')
    await stage.putBill()
    const line = stage.connect()
    await line.born()
    await line.obey()
    expect(line.types()).toEqual(['welcome', 'announce', 'announce', 'profile', 'qr'])
    expect(line.numbers()).toEqual([1, 2])
  })

  it('the same announcement again at another birth in the same session, with its id and number', async () => {
    const { stage, line } = await quietStage()
    await stage.pay()
    const first = line.last()
    await line.ack(first, 'received')
    await line.born({ played: 0 })
    await line.ack(line.last(), 'received')
    expect(line.last()).toMatchObject({ t: 'announce', id: first.id, n: first.n })
  })

  it('an announcement once, although both the birth and the payment queue it', async () => {
    const stage = await openStage()
    await stage.pay()
    const line = stage.connect()
    await line.born()
    const { deviceId } = stage.speaker
    stage.delivery.announce(
      await stage.storage.outbox.open(deviceId, stage.clock.now()),
      'till',
      stage.clock.now(),
    )
    await line.obey()
    expect(line.types()).toEqual(['welcome', 'announce', 'profile'])
  })
})

describe('one command at a time', () => {
  it('sb/1 7.2: is in flight until the device has received it', async () => {
    const { stage, line } = await quietStage()
    await stage.pay('1')
    await stage.pay('2')
    expect(line.ofType('announce')).toHaveLength(1)
    await line.ack(line.last(), 'received')
    expect(line.ofType('announce')).toHaveLength(2)
    expect(line.last().d).toMatchObject({ amount: '2' })
  })

  it('sb/1 7.2: sends codes before announcements, and announcements before screens', async () => {
    const { stage, line } = await quietStage()
    await stage.pay('1')
    await stage.putBill()
    await stage.pay('2')
    const shown = stage.delivery.showCode(stage.speaker.deviceId, '123456', stage.clock.now() + 300_000)
    const before = line.heard().length
    await line.obey()
    expect(line.types().slice(before - 1)).toEqual(['announce', 'code', 'announce', 'qr'])
    expect(await shown).toEqual({ kind: 'done' })
  })

  it('sb/1 7.3: blocks no other class after 15 s without an answer', async () => {
    const { stage, line } = await quietStage()
    await stage.pay('1')
    await stage.putBill()
    await stage.clock.wind(14_999)
    expect(line.types()).not.toContain('qr')
    await stage.clock.wind(1)
    expect(line.last().t).toBe('qr')
  })

  it('sb/1 7.3: is never overtaken if it is an announcement: the device would answer that the earlier one was played', async () => {
    const { stage, line } = await quietStage()
    const silent = await stage.pay('1')
    const first = line.last()
    await stage.pay('2')
    await stage.clock.wind(60_000)
    expect(line.ofType('announce').every(({ command }) => command.id === first.id)).toBe(true)
    await line.ack(first, 'played')
    expect(await stage.trail(silent)).toMatchObject({ stage: 'played' })
    expect(line.last().d).toMatchObject({ amount: '2' })
  })

  it('expires before a later announcement is sent, when the device never received it', async () => {
    const { stage, line } = await quietStage()
    const silent = await stage.pay('1')
    await stage.clock.wind(60_000)
    await stage.pay('2')
    await stage.clock.wind(60_000)
    expect(line.ofType('announce').at(-1)?.command.d).toMatchObject({ amount: '2' })
    expect(await stage.trail(silent)).toMatchObject({ stage: 'expired' })
  })

  it('is sent after one that failed on the device', async () => {
    const { stage, line } = await quietStage()
    const failed = await stage.pay('1')
    const first = line.last()
    await stage.pay('2')
    await line.ack(first, 'failed', 'audio_failed')
    expect(line.last().d).toMatchObject({ amount: '2' })
    expect(await stage.trail(failed)).toMatchObject({ stage: 'failed', reason: 'audio_failed' })
  })
})

describe('an unanswered command', () => {
  it('sb/1 6.1, sb/1 7.3, sb/1 11.4: is sent again after 3, 6 and 12 s with the same id and number, a new time and a shorter ttl', async () => {
    const { stage, line } = await quietStage()
    const paidAt = stage.clock.now()
    await stage.pay()
    await stage.clock.wind(40_000)
    const sendings = line.ofType('announce')
    expect(sendings.map(({ at }) => at - paidAt)).toEqual([0, 3_000, 6_000, 12_000])
    const unix = Math.floor(paidAt / 1000)
    expect(sendings.map(({ command }) => [command.at - unix, command.ttl])).toEqual([
      [0, 120],
      [3, 117],
      [6, 114],
      [12, 108],
    ])
    expect(new Set(sendings.map(({ command }) => `${command.id} ${command.n}`)).size).toBe(1)
  })
})

describe('a frame', () => {
  it('sb/1 7.12: names a bill only when it is paid by it: another amount leaves it open', async () => {
    const { stage, line } = await quietStage()
    await stage.storage.bills.put(stage.clientId, stage.shop.bill(stage.speaker.storeId), stage.clock.now())
    await stage.pay('1000', { billNumber: 'B1' })
    expect(line.last().d).not.toHaveProperty('bill')
  })

  it('is never larger than the buffer: an announcement that does not fit is stored as too large', async () => {
    const stage = await openStage()
    const line = await quietLine(stage, stage.speaker, 260)
    const ftCode = await stage.pay('9999999999999')
    await stage.putBill('B1', 'q'.repeat(500))
    await stage.clock.wind(20_000)
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'failed', reason: 'too_large' })
    expect(line.heard().every(({ bytes }) => bytes <= 260)).toBe(true)
    expect(line.types()).not.toContain('qr')
  })
})
