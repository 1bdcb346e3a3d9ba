import type { Adjustment } from './device/state/events.ts'
import type { Fault } from './device/state/faults.ts'
import type { Speaker } from './speaker.ts'

/** What a user or a script can do to a speaker. */
export type OperatorAction =
  | { do: 'power'; on: boolean }
  | { do: 'network'; on: boolean }
  | { do: 'fault'; fault: Fault; on: boolean }
  | { do: 'adjust'; change: Adjustment }
  | { do: 'reconnect' }
  | { do: 'dismiss' }

/** Performs an action. Resolves when its immediate effect is done; the feed reports everything that follows. */
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
