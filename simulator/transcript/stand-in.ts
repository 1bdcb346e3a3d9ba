import type { Speaker } from '../speaker.ts'
import type { Replay } from './replay.ts'

/** A replay in the place of a speaker: what has happened can be looked at, and not be acted upon. */
export function standIn(replay: Replay): Speaker {
  const nothing = () => {}
  const nothingYet = async () => {}
  return {
    serial: replay.serial,
    subscribe: (listener) => replay.subscribe(listener),
    snapshot: () => replay.snapshot(),
    start: nothing,
    stop: nothingYet,
    reconnect: nothingYet,
    cutNetwork: nothingYet,
    powerOff: nothingYet,
    powerOn: nothing,
    setFault: nothing,
    adjust: nothing,
    dismiss: nothing,
    note: nothing,
  }
}
