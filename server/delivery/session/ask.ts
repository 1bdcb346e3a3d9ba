import type { Answer } from '../../devices/answer.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Command, CommandEnd } from './command.ts'
import type { Session } from './session.ts'

/** Sends a command and waits for its end. After `withinMs` the command is withdrawn. */
export function ask(
  session: Session,
  command: Command,
  { clock, withinMs }: { clock: Clock; withinMs: number },
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const onEnd = (end: CommandEnd) => {
    cancelTimeout()
    if (end.kind === 'done' || end.kind === 'failed') resolve(end)
    else resolve({ kind: session.isBorn() ? 'not_responding' : 'offline' })
  }
  const cancelTimeout = clock.after(withinMs, () => session.withdraw(({ id }) => id === command.id))
  session.push({ ...command, onEnd })
  return promise
}
