import type { Clock } from '../platform/clock.ts'
import type { Command, CommandEnd } from './session/command.ts'
import type { Session } from './session/ports.ts'

/** Sends a command and waits for its end. After `withinMs` the command is withdrawn. */
export function pushAndWait(
  session: Session,
  command: Command,
  { clock, withinMs }: { clock: Clock; withinMs: number },
): Promise<CommandEnd | { kind: 'timeout' }> {
  const { promise, resolve } = Promise.withResolvers<CommandEnd | { kind: 'timeout' }>()
  const cancelTimeout = clock.after(withinMs, () => {
    resolve({ kind: 'timeout' })
    session.withdraw(({ id }) => id === command.id)
  })
  const onEnd = (end: CommandEnd) => {
    cancelTimeout()
    resolve(end)
  }
  session.push({ ...command, onEnd })
  return promise
}
