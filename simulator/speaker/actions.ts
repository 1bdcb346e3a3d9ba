import type { Adjustment } from './device/state/events.ts'
import type { Fault } from './device/state/faults.ts'
import type { Speaker } from './speaker.ts'

/** What can be done to a speaker from outside, by a script as by a hand. */
export type OperatorAction =
  | { do: 'power'; on: boolean }
  | { do: 'network'; on: boolean }
  | { do: 'fault'; fault: Fault; on: boolean }
  | { do: 'adjust'; change: Adjustment }
  | { do: 'reconnect' }
  | { do: 'dismiss' }

/** Carries an order out. Resolves when what it does at once is done; what follows is told by the feed. */
export async function performAction(speaker: Speaker, order: OperatorAction): Promise<void> {
  switch (order.do) {
    case 'power':
      return order.on ? speaker.powerOn() : await speaker.powerOff()
    case 'network':
      return order.on ? speaker.start() : await speaker.cutNetwork()
    case 'fault':
      return speaker.setFault(order.fault, order.on)
    case 'adjust':
      return speaker.adjust(order.change)
    case 'reconnect':
      return await speaker.reconnect()
    case 'dismiss':
      return speaker.dismiss()
  }
}
