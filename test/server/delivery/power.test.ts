import { describe, expect, it, vi } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../server/announcements/announcement.ts'
import { settle } from '../../support/clock.ts'
import { holdNext, type Line, quietStage, type Stage } from './stage.ts'

const A = '10000'
const B = '20000'
const C = '40000'

/** A speaker that takes in every payment, and says none to its end: the power fails before. */
async function takesIn(stage: Stage, line: Line, amounts: string[]) {
  const codes = new Map<string, string>()
  for (const amount of amounts) {
    codes.set(amount, await stage.pay(amount))
    await line.ack(line.last(), 'received')
  }
  return codes
}

async function isBack(stage: Stage, played: number) {
  const line = stage.connect()
  await line.born({ played })
  await line.ack(line.last(), 'received')
  return line
}

const missedIn = (line: Line) => line.said('missed')

describe('sb/1 7.18: a received ends with the power', () => {
  it.each([
    ['which expired while it was off', ANNOUNCEMENT_FRESH_MS + 1],
    ['which the hub gave up while it was off', ANNOUNCEMENT_FRESH_MS + 61_000],
  ])('what waited at the first of two power cuts, %s, is shown as missed', async (_what, offMs) => {
    const { stage, line } = await quietStage()
    const codes = await takesIn(stage, line, [A, B])
    const [a] = line.ofType('announce')
    stage.delivery.leave(line.session)
    await stage.clock.wind(offMs)
    const c = await stage.pay(C)

    const again = await isBack(stage, a?.command.n ?? 0)
    const [third] = again.ofType('announce')
    expect(third?.command.d).toMatchObject({ amount: C })
    if (third) await again.ack(third.command, 'received')
    stage.delivery.leave(again.session)

    const last = await isBack(stage, third?.command.n ?? 0)
    await last.obey()
    expect(missedIn(last)).toEqual([{ count: 1, amount: B }])
    expect(await stage.trail(codes.get(B) ?? '')).toMatchObject({
      stage: 'expired',
      times: { received: expect.any(Number) },
    })
    expect(await stage.trail(c)).not.toMatchObject({ stage: 'expired' })
  })
})

describe('sb/1 7.21: a played ack of an expired announcement', () => {
  async function spokenLate() {
    const { stage, line } = await quietStage()
    const code = await stage.pay(A)
    const announced = line.last()
    await stage.clock.wind(ANNOUNCEMENT_FRESH_MS + 61_000)
    return { stage, line, code, announced }
  }

  it('leaves its stage, and a notice that is under way', async () => {
    const { stage, line, code, announced } = await spokenLate()
    const other = await stage.pay(B)
    const [notice] = line.ofType('missed')
    expect(notice?.command.d).toEqual({ count: 1, amount: A })
    await line.ack(announced, 'played')
    expect(await stage.trail(code)).toMatchObject({ stage: 'expired' })
    if (notice) await line.ack(notice.command, 'shown')
    await stage.clock.wind(ANNOUNCEMENT_FRESH_MS + 61_000)
    expect(await stage.trail(other)).toMatchObject({ stage: 'expired' })
    expect(missedIn(line).at(-1)).toEqual({ count: 1, amount: B })
  })

  it('drops a notice that waits for its turn', async () => {
    const { stage, line } = await quietStage()
    await stage.pay(A)
    const announced = line.last()
    stage.delivery.leave(line.session)
    await stage.clock.wind(ANNOUNCEMENT_FRESH_MS + 61_000)
    // The birth of a device with an older count of what it has played.
    const back = stage.connect()
    await back.born({ played: 0 })
    await back.ack(announced, 'played')
    await back.obey()
    expect(missedIn(back)).toEqual([])
  })
})

describe('a notice of missed payments', () => {
  it('names each payment once, also when others are missed while it is under way', async () => {
    const { stage, line } = await quietStage()
    const refuse = async (amount: string) => {
      await stage.pay(amount)
      await line.ack(line.last(), 'failed', 'audio_failed')
    }
    await refuse(A)
    const notice = line.last()
    await line.ack(notice, 'received')
    await refuse(B)
    expect(missedIn(line)).toEqual([{ count: 1, amount: A }])
    await line.ack(notice, 'shown')
    await line.obey()
    expect(missedIn(line)).toEqual([
      { count: 1, amount: A },
      { count: 1, amount: B },
    ])
  })

  it('sb/1 7.4: that was shown has its PUBACK only when this is stored: a hub that is killed before would show it twice', async () => {
    const { stage, line } = await quietStage()
    await stage.pay(A)
    await line.ack(line.last(), 'failed', 'audio_failed')
    const commit = holdNext(stage, 'markMissedShown')
    let hasPuback = false
    const acked = line.ack(line.last(), 'shown').then(() => {
      hasPuback = true
    })
    await settle()
    expect(hasPuback).toBe(false)
    commit()
    await acked
    expect(await stage.storage.outbox.missed(stage.speaker.deviceId)).toBeUndefined()
  })

  it('that was shown has no PUBACK when this can not be stored', async () => {
    const { stage, line } = await quietStage()
    await stage.pay(A)
    await line.ack(line.last(), 'failed', 'audio_failed')
    vi.spyOn(stage.storage.outbox, 'markMissedShown').mockRejectedValueOnce(new Error('full'))
    await expect(line.ack(line.last(), 'shown')).rejects.toThrow('full')
  })

  it.each([
    ['failed', 'a payment that failed', [{ count: 1, amount: A }]],
    ['played', 'a payment that was played', []],
  ] as const)(
    'goes to the latest session: the ack %s of %s is stored when its own session has ended',
    async (st, _, sums) => {
      const { stage, line } = await quietStage()
      await stage.pay(A)
      const announced = line.last()
      if (st === 'played') await stage.clock.wind(ANNOUNCEMENT_FRESH_MS)
      const answer = holdNext(stage, 'recordAck')
      const acked = line.ack(announced, st, st === 'failed' ? 'audio_failed' : undefined)
      await settle()
      stage.delivery.leave(line.session)
      const back = stage.connect()
      await back.born({ played: 0 })
      answer()
      await acked
      await back.obey()
      expect(missedIn(back)).toEqual(sums)
    },
  )

  it('that is not acked as shown gives way to one that names all, after two minutes', async () => {
    const { stage, line } = await quietStage()
    for (const amount of [A, B]) {
      await stage.pay(amount)
      await line.ack(line.last(), 'failed', 'audio_failed')
      await line.ack(line.last(), 'received')
    }
    expect(missedIn(line)).toEqual([{ count: 1, amount: A }])
    await stage.clock.wind(120_000)
    expect(missedIn(line).at(-1)).toEqual({ count: 2, amount: String(Number(A) + Number(B)) })
  })
})
