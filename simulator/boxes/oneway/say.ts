import type { Sound } from '../core/state.ts'
import type { Turn } from '../core/turn.ts'

/**
 * Says a payment; false when it is dropped. These boxes have no other answer than the PUBACK: one that dies before its
 * answer says the payment and loses its power without a PUBACK.
 */
export function sayPayment(turn: Turn, sound: Sound): boolean {
  if (turn.dropsBusy()) return false
  const deadly = turn.has('dies-before-reply')
  if (deadly) turn.withhold()
  turn.say(deadly ? { ...sound, deadly } : sound)
  return true
}

/** With `stray-reply`, a box that has no answers sends one for a message that does not exist. */
export function strayReply(turn: Turn, topic: string): void {
  if (turn.has('stray-reply')) turn.publish(topic, { cmd: 'voice', orderId: '9999999999', result: 'success' })
}
