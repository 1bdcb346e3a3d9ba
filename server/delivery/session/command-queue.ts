import { type Command, rankOf, slotOf } from './command.ts'

/*
 * The commands of one session that wait for their turn: a plain list in order of arrival. It is usually empty or
 * holds one command, and every connected device has one.
 */

/** Queues a command. It replaces the queued commands of the same slot. */
export function enqueue(queue: Command[], command: Command) {
  const slot = slotOf(command)
  const replaced = slot === undefined ? [] : removeAll(queue, (other) => slotOf(other) === slot)
  queue.push(command)
  drop(replaced)
}

/** Removes and returns the first command of the lowest rank that may go. Drops commands that expire before `deadline`. */
export function dequeue(
  queue: Command[],
  deadline: number,
  mayGo: (command: Command) => boolean,
): Command | undefined {
  drop(removeAll(queue, ({ expiresAt }) => expiresAt < deadline))
  let next: Command | undefined
  for (const command of queue)
    if (mayGo(command) && (next === undefined || rankOf(command) < rankOf(next))) next = command
  if (next) queue.splice(queue.indexOf(next), 1)
  return next
}

/** Removes and returns all matching commands, in their order. */
export function removeAll(queue: Command[], which: (command: Command) => boolean): Command[] {
  const removed = queue.filter(which)
  if (removed.length > 0) queue.splice(0, queue.length, ...queue.filter((command) => !which(command)))
  return removed
}

/** Ends commands unsent. */
export function drop(commands: readonly Command[]) {
  for (const command of commands) command.onEnd?.({ kind: 'dropped' })
}
