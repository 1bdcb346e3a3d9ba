import { describe, expect, it, vi } from 'vitest'
import { OPEN_AT_ONCE } from '../../../server/announcements/ports.ts'
import { settle } from '../../support/clock.ts'
import { payWell } from '../storage/shop.ts'
import { expectRising, holdNext, openStage, quietLine, quietStage } from './stage.ts'

const MANY = 2 * OPEN_AT_ONCE + 7

/** A stage on which a shop gets many payments at once. */
async function openBusyStage() {
  const stage = await openStage()
  const { shop, clientId, clock, delivery } = stage
  const record = () => payWell(shop, clientId, { receivedAt: clock.now() })
  return {
    ...stage,
    /** Records payments; the hub tells delivery of each as it is answered. */
    async payMany(count: number) {
      const pay = async () => delivery.announce((await record()).announcements, 'till', clock.now())
      await Promise.all(Array.from({ length: count }, pay))
      await settle()
    },
  }
}

describe('a speaker with more to say than its session queues', () => {
  it('gets all of it after its birth, by rising number and once', async () => {
    const stage = await openBusyStage()
    await stage.payMany(MANY)
    const line = stage.connect()
    await line.born()
    await line.obey()
    expectRising(line, MANY)
  })

  it('gets what is paid while it speaks behind what was paid before', async () => {
    const stage = await openBusyStage()
    await stage.payMany(MANY)
    const line = stage.connect()
    await line.born()
    await line.ack(line.last(), 'received')
    line.state.obeyed = 1
    const paid = stage.payMany(MANY)
    await line.obey()
    await paid
    await line.obey()
    expectRising(line, 2 * MANY)
  })

  it('queues no more than a page, however much is paid while it is connected', async () => {
    const stage = await openBusyStage()
    const line = await quietLine(stage)
    const take = vi.spyOn(stage.storage.outbox, 'take')
    await stage.payMany(MANY)
    expect(take).not.toHaveBeenCalled()
    await line.obey()
    expectRising(line, MANY)
    expect(take.mock.calls.length).toBeGreaterThanOrEqual(2)
    expect(take.mock.calls.length).toBeLessThanOrEqual(6)
  })

  it('is disconnected when the next ones can not be read: its birth reads them again', async () => {
    const stage = await openBusyStage()
    const line = await quietLine(stage)
    await stage.payMany(MANY)
    vi.spyOn(stage.storage.outbox, 'take').mockRejectedValueOnce(new Error('unreadable'))
    await line.obey()
    expect(line.state.closed).toBe(true)
  })
})

describe('the sum of missed payments', () => {
  it('is not made while payments are marked as shown', async () => {
    const { stage, line } = await quietStage()
    await stage.pay('7')
    await line.ack(line.last(), 'failed', 'audio_failed')
    const missed = line.last()
    expect(missed).toMatchObject({ t: 'missed', d: { count: 1 } })
    const mark = holdNext(stage, 'markMissedShown')
    const acked = line.ack(missed, 'shown')
    await stage.pay('11')
    await line.ack(line.last(), 'failed', 'audio_failed')
    expect(line.ofType('missed')).toHaveLength(1)
    mark()
    await acked
    expect(line.said('missed')).toMatchObject([{ amount: '7' }, { count: 1, amount: '11' }])
  })
})
