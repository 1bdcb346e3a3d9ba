import { expect, it, vi } from 'vitest'
import { settle } from '../../support/clock.ts'
import { openStage, quietLine } from './stage.ts'

it('a busy hub by itself looks for no announcements of others, and gives no device up', async () => {
  const stage = await openStage()
  const { delivery, speaker } = stage
  const { outbox } = stage.storage
  const [take, leave] = [vi.spyOn(outbox, 'take'), vi.spyOn(outbox, 'leave')]
  const line = await quietLine(stage)
  for (let ver = 1; ver <= 20; ver += 1) {
    // The numbers of announcements and of another command are given in one commit, in any order.
    const paid = [stage.pay(), stage.pay()]
    delivery.configure(speaker.deviceId, { ver, volume: 50, lang: 'vi' })
    await Promise.all([...paid, stage.pay()])
    await line.obey()
    if (ver % 5 === 0) await line.born()
    await line.obey()
  }
  expect(line.ofType('announce')).toHaveLength(60)
  delivery.leave(line.session)
  await settle()
  expect(take.mock.calls.length).toBe(0)
  expect(leave.mock.calls.length).toBe(0)
})
