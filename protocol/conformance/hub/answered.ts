import { explainValues } from '../likely/answer.ts'
import type { CommandRegistry } from './commands.ts'
import type { Reading } from './read.ts'

/** Adds to an ack the command that it is about, and whether it names that rightly. */
export function withCommand(reading: Reading, commands: CommandRegistry): Reading {
  if (reading.kind !== 'ack') return reading
  const { id, n, st, rc } = reading.says
  const command = commands.meantBy(id, n)
  const rcFits = (st === 'failed') === (rc !== undefined)
  if (!command) return { ...reading, has: { ...reading.has, rcFits } }
  const namesCommand = command.id === id && command.n === n
  const hint = explainValues({ id: command.id, n: command.n }, { id, n })
  return {
    ...reading,
    has: { ...reading.has, command: command.id, namesCommand, rcFits },
    // A misspelled id also breaks the schema: the same mistake.
    hints: hint === undefined ? reading.hints : { ...reading.hints, namesCommand: hint, schema: hint },
  }
}
