import type { Command } from 'commander'
import type { RecordingChoice } from '../outputs.ts'

export function withRecordingOption(command: Command): Command {
  return command
    .optionsGroup('Recording:')
    .option('--transcript <file>', 'record the session for `simulator replay`')
}

export function recordingChoiceOf(command: Command): RecordingChoice {
  const { transcript } = command.opts<{ transcript?: string }>()
  return { transcript }
}
