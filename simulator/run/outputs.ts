import packageJson from '../../package.json' with { type: 'json' }
import type { Host } from '../platform/host.ts'
import { setUpSound } from '../sound/set-up.ts'
import type { DeviceConfig } from '../speaker/device/state/state.ts'
import type { Speaker } from '../speaker/speaker.ts'
import { recordTranscript } from './transcript/record.ts'

/** How a speaker is heard. */
export interface SoundChoice {
  sound: boolean
  /** The folder for recordings; undefined for none. */
  recordDir: string | undefined
  /** The folder of another clip pack; undefined for the simulator's own. */
  voiceDir: string | undefined
}

/** How its session is recorded. */
export interface RecordingChoice {
  /** The file to record the session into; undefined for none. */
  transcript: string | undefined
}

/** The outputs of a speaker besides the view: sound, recordings and the transcript. */
export interface Outputs {
  /** For the speaker's configuration. */
  config: Partial<DeviceConfig>
  /**
   * Attaches the outputs before the speaker starts. Call the returned function when the speaker is told to stop: the
   * sound stops at once, and the transcript ends when the speaker has stopped.
   */
  attach(speaker: Speaker): (stopped: Promise<void>) => Promise<void>
}

/** Throws `CannotStart` when a folder or file can't be created. */
export function outputsOf(
  { serial, transcript: path, ...sound }: SoundChoice & RecordingChoice & { serial: string },
  { env }: Pick<Host, 'env'>,
): Outputs {
  const sounding = setUpSound({ serial, ...sound, searchPath: env.PATH })
  return {
    config: sounding?.config ?? {},
    attach(speaker) {
      const stopRecording =
        path === undefined ? undefined : recordTranscript(speaker, { path, program: packageJson.version })
      const stopSound = sounding?.attach(speaker)
      return async (stopped) => {
        await Promise.all([stopped, stopSound?.()])
        stopRecording?.()
      }
    },
  }
}
