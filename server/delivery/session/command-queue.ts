import type { Outgoing } from './command.ts'

/*
 * The commands of one session that wait for their turn: a plain list, in the order in which they came. Mostly it is
 * empty or holds one, and each session has it for as long as its device is there.
 */

/** The least time that a command needs to be of use as it leaves: its `ttl` travels in whole seconds. */
export const LEAST_TTL_MS = 1_000

/** Adds a command, in place of one of its slot. */
export function addWaiting(waiting: Outgoing[], command: Outgoing) {
  const replaced = takeAll(waiting, ({ slot }) => slot !== undefined && slot === command.slot)
  waiting.push(command)
  for (const other of replaced) other.onEnd?.({ kind: 'dropped' })
}

/** Takes out the first of the lowest rank among those that may go; what ran out of time is dropped on the way. */
export function takeNext(
  waiting: Outgoing[],
  now: number,
  mayGo: (command: Outgoing) => boolean,
): Outgoing | undefined {
  const late = takeAll(waiting, ({ expiresAt }) => expiresAt - now < LEAST_TTL_MS)
  for (const command of late) command.onEnd?.({ kind: 'dropped' })
  let next: Outgoing | undefined
  for (const command of waiting)
    if (mayGo(command) && (next === undefined || command.rank < next.rank)) next = command
  if (next) waiting.splice(waiting.indexOf(next), 1)
  return next
}

/** Takes out all of a kind, in their order. */
export function takeAll(waiting: Outgoing[], which: (command: Outgoing) => boolean): Outgoing[] {
  const taken = waiting.filter(which)
  if (taken.length > 0) waiting.splice(0, waiting.length, ...waiting.filter((command) => !which(command)))
  return taken
}
