import { setTimeout as sleep } from 'node:timers/promises'
import { openDevice } from '../gang/device.ts'
import { type Attack, anyAddress } from '../gang/round.ts'

/** Until then each session only reads the backlog; then it confirms it, too. */
const CONFIRMED_FROM = 1 / 3
const BIRTHS_EACH = 10
const BIRTH_MS = 50
const AGAIN_MS = 200

export const missedBacklog: Attack = (target, round) => {
  const { backlogged } = target.neighbour
  return round.crowd(backlogged.length, AGAIN_MS, async (member) => {
    const one = backlogged[member]
    if (!one) return
    const device = await openDevice(round, target.mqtt, one, anyAddress(member), ({ t }) => {
      if (t !== 'missed') return 'received'
      if (round.passed() < CONFIRMED_FROM) return undefined
      round.count('missed confirmed')
      return 'shown'
    })
    for (let births = 0; device?.isOpen && births < BIRTHS_EACH && !round.isOver; births += 1) {
      device.birth()
      await sleep(BIRTH_MS)
    }
    device?.close()
  })
}
