import type { Command } from 'commander'

/** What the command line says about sound. */
export interface SoundChoice {
  sound: boolean
  /** The folder for recordings; undefined for none. */
  recordDir: string | undefined
}

export function withSoundOptions(command: Command): Command {
  return command
    .optionsGroup('Sound:')
    .option('--sound', 'be heard, by a player of this system')
    .option('--record <dir>', 'write each announcement as a WAV file into this folder')
}

export function soundChoiceOf(command: Command): SoundChoice {
  const { sound = false, record } = command.opts<{ sound?: boolean; record?: string }>()
  return { sound, recordDir: record }
}
