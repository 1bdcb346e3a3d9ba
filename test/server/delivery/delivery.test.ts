import { describe, expect, it } from 'vitest'
import { settle } from '../../support/clock.ts'
import { openStage, quietLine, quietStage, type Stage } from './stage.ts'

const FRESH_MS = 120_000

describe('a payment that came too late', () => {
  it('sb/1 7.10: is never spoken: the screen shows once how many payments and how much', async () => {
    const stage = await openStage()
    const late = [await stage.pay('30000'), await stage.pay('20000')]
    await stage.clock.wind(FRESH_MS)
    for (const ftCode of late) expect(await stage.trail(ftCode)).toMatchObject({ stage: 'expired' })

    const line = await quietLine(stage)
    expect(line.types()).toEqual(['welcome', 'profile', 'missed'])
    expect(line.last().d).toEqual({ count: 2, amount: '50000' })
    expect((await quietLine(stage)).types()).toEqual(['welcome', 'profile'])
  })

  it('is shown again until the device confirms it', async () => {
    const stage = await openStage()
    await stage.pay('30000')
    await stage.clock.wind(FRESH_MS)
    const line = stage.connect()
    await line.born()
    await line.ack(line.last(), 'received')
    await line.ack(line.last(), 'shown')
    await line.ack(line.last(), 'received')
    expect(line.last().t).toBe('missed')
    expect((await quietLine(stage)).last()).toMatchObject({ t: 'missed', d: { count: 1, amount: '30000' } })
  })

  it('sb/1 7.23: is not shown again when a QR was in front of the notice for a quarter of an hour', async () => {
    const stage = await openStage()
    await stage.pay('30000')
    await stage.clock.wind(FRESH_MS)
    const line = stage.connect()
    await line.born()
    await line.ack(line.last(), 'received')
    await line.ack(line.last(), 'shown')
    const notice = line.last()
    await line.ack(notice, 'received')
    await stage.clock.wind(15 * 60_000)
    await line.ack(notice, 'shown')
    expect((await quietLine(stage)).types()).toEqual(['welcome', 'profile'])
  })

  it('sb/1 7.23: is not shown again when the device is locked while the notice is on its way', async () => {
    const stage = await openStage()
    await stage.pay('30000')
    await stage.clock.wind(FRESH_MS)
    const line = stage.connect()
    await line.born()
    await line.ack(line.last(), 'received')
    await line.ack(line.last(), 'shown')
    const notice = line.last()
    expect(notice.t).toBe('missed')
    await stage.lock()
    stage.delivery.silence(stage.speaker.deviceId)
    await line.ack(notice, 'shown')
    expect((await quietLine(stage)).types()).toEqual(['welcome', 'profile'])
  })

  it('is shown to a connected device as soon as it expires without an ack', async () => {
    const { stage, line } = await quietStage()
    const ftCode = await stage.pay('30000')
    await stage.clock.wind(FRESH_MS)
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'expired' })
    expect(line.last()).toMatchObject({ t: 'missed', d: { count: 1, amount: '30000' } })
  })

  it('counts as missed when the device itself refused it as too late', async () => {
    const { stage, line } = await quietStage()
    const ftCode = await stage.pay('30000')
    await line.ack(line.last(), 'failed', 'expired')
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'expired', reason: 'expired' })
    expect(line.last()).toMatchObject({ t: 'missed', d: { count: 1, amount: '30000' } })
  })

  it('is shown when the device reports its failure only in its next session', async () => {
    const { stage, line } = await quietStage()
    const ftCode = await stage.pay('30000')
    const announce = line.last()
    stage.delivery.leave(line.session)
    const back = stage.connect()
    await back.born()
    await back.ack(announce, 'failed', 'audio_failed')
    await back.obey()
    expect(await stage.trail(ftCode)).toMatchObject({ stage: 'failed' })
    expect(back.types()).not.toContain('announce')
    expect(back.said('missed')).toEqual([{ count: 1, amount: '30000' }])
  })
})

describe('command numbers', () => {
  it('sb/1 7.9: are above the highest played number when the hub was restored from an older backup', async () => {
    const stage = await openStage()
    const line = stage.connect()
    await line.born({ played: 5_000 })
    await line.obey()
    await stage.pay()
    expect(line.ofType('welcome')[0]?.command.d).toMatchObject({ n: 5_000 })
    for (const { command } of line.heard()) expect(command.n).toBeGreaterThan(5_000)
  })

  it('sb/1 6.1, sb/1 6.4: rise from command to command', async () => {
    const { stage, line } = await quietStage()
    await stage.pay()
    await stage.putBill()
    await line.obey()
    const numbers = line.heard().map(({ command }) => command.n)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  })
})

describe('presence', () => {
  it('sb/1 8.2: ends two and a half keepalives after the last message of the device', async () => {
    const stage = await openStage()
    await quietLine(stage)
    const { serial } = stage.speaker
    await stage.clock.wind(150_000)
    expect(stage.delivery.isConnected(serial)).toBe(true)
    await stage.clock.wind(1)
    expect(stage.delivery.isConnected(serial)).toBe(false)
  })

  it('moves to a newer connection: nothing is sent to the older one, and its end changes nothing', async () => {
    const stage = await openStage()
    const older = await quietLine(stage)
    await stage.pay()
    const heard = older.heard().length
    const newer = stage.connect()
    await newer.born()
    await newer.ack(newer.last(), 'received')
    await stage.clock.wind(14_000)
    stage.delivery.leave(older.session)
    expect(older.heard()).toHaveLength(heard)
    expect(newer.ofType('announce')).toHaveLength(4)
    expect(stage.delivery.isConnected(stage.speaker.serial)).toBe(true)
  })

  it('ends with the connection: nothing more is sent, and announcements wait for the next one', async () => {
    const { stage, line } = await quietStage()
    await stage.pay('1')
    stage.delivery.leave(line.session)
    const heard = line.heard().length
    await stage.pay('2')
    await stage.clock.wind(20_000)
    expect(line.heard()).toHaveLength(heard)
    expect(stage.delivery.connectedSerials()).toEqual([])
    const amounts = (await quietLine(stage)).said('announce')
    expect(amounts).toMatchObject([{ amount: '1' }, { amount: '2' }])
  })
})

describe('showing a code', () => {
  const show = (stage: Stage) =>
    stage.delivery.showCode(stage.speaker.deviceId, '123456', stage.clock.now() + 300_000)

  it('succeeds when the device has shown it, not when it has received it', async () => {
    const { stage, line } = await quietStage()
    let answer: unknown
    void show(stage).then((shown) => {
      answer = shown
    })
    await settle()
    expect(line.last()).toMatchObject({ t: 'code', d: { code: '123456' }, ttl: 300 })
    await line.ack(line.last(), 'received')
    expect(answer).toBeUndefined()
    await line.ack(line.last(), 'shown')
    expect(answer).toEqual({ kind: 'done' })
  })

  it('sb/1 14.1: fails after 5 s without an answer, stops resending, and clears the code from a slow screen', async () => {
    const { stage, line } = await quietStage()
    const shown = show(stage)
    await stage.clock.wind(4_999)
    const codes = line.ofType('code').length
    await stage.clock.wind(1)
    expect(await shown).toEqual({ kind: 'not_responding' })
    await stage.clock.wind(10)
    expect(line.last()).toMatchObject({ t: 'clear', d: { what: 'code' } })
    await stage.clock.wind(20_000)
    expect(line.ofType('code')).toHaveLength(codes)
  })

  it('fails when the connection ends before the answer', async () => {
    const { stage, line } = await quietStage()
    const shown = show(stage)
    await settle()
    stage.delivery.leave(line.session)
    expect(await shown).toEqual({ kind: 'offline' })
  })

  it('survives another birth of the device in the same session', async () => {
    const { stage, line } = await quietStage()
    const shown = show(stage)
    await settle()
    await line.born()
    await line.obey()
    expect(await shown).toEqual({ kind: 'done' })
  })
})
