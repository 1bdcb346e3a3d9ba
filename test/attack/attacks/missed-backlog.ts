import { openDevice } from '../gang/device.ts'
import { type Attack, anyAddress } from '../gang/round.ts'

/** Until then each session only has the backlog read, by birth after birth. Then it confirms what it has missed. */
const CONFIRMED_FROM = 1 / 3
const BIRTHS_EACH = 10
const BIRTH_MS = 100
const AGAIN_MS = 200

export const missedBacklog: Attack = (target, round) => {
  const { backlogged } = target.neighbour
  const confirmed = new Set<number>()
  return round.crowd(backlogged.length, AGAIN_MS, async (member) => {
    const one = backlogged[member]
    if (!one) return
    const mayConfirm = round.passed() >= CONFIRMED_FROM
    const device = await openDevice(round, target.mqtt, one, anyAddress(member), ({ t }) => {
      if (t !== 'missed') return 'received'
      if (!mayConfirm) return undefined
      confirmed.add(member)
      round.count('missed confirmed')
      return 'shown'
    })
    // Further births would put off what it is to confirm.
    while (mayConfirm && !confirmed.has(member) && device?.isOpen) await round.pause(BIRTH_MS)
    for (let births = 1; device?.isOpen && births < BIRTHS_EACH && !round.isOver; births += 1) {
      device.birth()
      await round.pause(BIRTH_MS)
    }
    device?.close()
  })
}
