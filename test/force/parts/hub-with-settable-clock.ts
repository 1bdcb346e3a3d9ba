import { type Clock, systemClock } from '../../../server/platform/clock.ts'
import { serve } from './serve.ts'

/*
 * The hub with another clock: the parent's messages set it, as an operator or a time server sets the clock of a machine.
 * Timers are not affected, as on a real machine.
 */

let setByMs = 0
const clock: Clock = { ...systemClock, now: () => systemClock.now() + setByMs }
process.on('message', (message) => {
  setByMs = Number(Object(message).setByMs)
})

await serve({ clock })
