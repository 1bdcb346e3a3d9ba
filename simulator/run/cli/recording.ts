import type { Command } from 'commander'

/** What the command line says about recording. */
export interface RecordingChoice {
  /** The file to record the session into; undefined for none. */
  transcript: string | undefined
}

export function withRecordingOption(command: Command): Command {
  return command
    .optionsGroup('Recording:')
    .option('--transcript <file>', 'record the session; `simulator replay` shows it again')
}

export function recordingChoiceOf(command: Command): RecordingChoice {
  const { transcript } = command.opts<{ transcript?: string }>()
  return { transcript }
}
