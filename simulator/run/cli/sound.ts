import type { Command } from 'commander'
import type { SoundChoice } from '../outputs.ts'
import { usageError } from './values.ts'

interface Given {
  sound?: boolean
  record?: string
  voice?: string
}

export function withSoundOptions(command: Command): Command {
  return command
    .optionsGroup('Sound:')
    .option('--sound', 'play sounds with a player of this system')
    .option('--record <dir>', 'write each announcement as a WAV file into this folder')
    .option('--voice <dir>', 'speak with the clips of this folder; a language that it lacks keeps its voice')
}

export function soundChoiceOf(command: Command): SoundChoice {
  const { sound = false, record: recordDir, voice: voiceDir } = command.opts<Given>()
  if (voiceDir !== undefined && !sound && recordDir === undefined)
    usageError(command, '--voice needs --sound or --record.')
  return { sound, recordDir, voiceDir }
}
