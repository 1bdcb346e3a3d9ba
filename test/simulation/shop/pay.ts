import type { Hub } from '../hub/hub.ts'
import type { Dice } from '../kit/dice.ts'
import type { Entry } from '../oracle/books.ts'
import type { SimulatedSpeaker } from '../speaker/speaker.ts'
import type { World } from '../world.ts'
import { movedMoney } from './payment.ts'

/** At a till of this speaker, if it is given, and reported to that hub first. */
export function pay(world: World, dice: Dice, speaker?: SimulatedSpeaker, at?: Hub) {
  const tills = world.tills.filter(({ serials }) => !speaker || serials.includes(speaker.serial))
  const entry = newPayment(world, dice, tills)
  if (entry) world.processor.report(entry, at)
  return entry
}

/** Half of the payments have no transaction code, and are known by their trace. */
export function newPayment(world: World, dice: Dice, tills = world.tills): Entry | undefined {
  const { books, bills, now } = world
  const due = dice.chance(0.5) ? bills.shift() : undefined
  if (due) return books.add(movedMoney({ ...due, at: now(), hasCode: dice.chance(0.5) }))
  const till = dice.pickAny(tills)
  const index = books.nextIndex()
  if (!till || index === undefined) return undefined
  return books.add(movedMoney({ index, till, billNumber: '', at: now(), hasCode: dice.chance(0.5) }))
}
