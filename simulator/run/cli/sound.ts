import type { Command } from 'commander'
import type { SoundChoice } from '../outputs.ts'

export function withSoundOptions(command: Command): Command {
  return command
    .optionsGroup('Sound:')
    .option('--sound', 'play sounds with a player of this system')
    .option('--record <dir>', 'write each announcement as a WAV file into this folder')
}

export function soundChoiceOf(command: Command): SoundChoice {
  const { sound = false, record } = command.opts<{ sound?: boolean; record?: string }>()
  return { sound, recordDir: record }
}
