import type { Command } from 'commander'

/** Ends the reading of the arguments with a sentence. */
export function mistake(command: Command, sentence: string): never {
  command.error(sentence, { exitCode: 2 })
}
