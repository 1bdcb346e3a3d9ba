import { type Clock, systemClock } from '../platform/clock.ts'
import { messageOf } from '../platform/error-text.ts'
import { CannotStart, WrongUsage } from '../platform/errors.ts'
import type { DeviceConfig } from '../speaker/device/state/state.ts'
import type { Speaker } from '../speaker/speaker.ts'
import type { ClipPack } from './audio.ts'
import { soundTimesOf } from './clip-lengths.ts'
import { loadPack } from './pack.ts'
import { createPlayer } from './player.ts'
import { findPrograms } from './programs.ts'
import { createRecorder } from './recorder.ts'
import { attachVoice, type Player, type Recorder } from './voice.ts'

export interface SoundOptions {
  serial: string
  /** Whether to play sounds. */
  sound: boolean
  /** The folder for recordings; undefined for none. */
  recordDir: string | undefined
  /** The folder of another clip pack; undefined for the simulator's own. */
  voiceDir?: string | undefined
  /** The PATH of the environment, to find a playing program. */
  searchPath: string | undefined
  clock?: Clock
}

export interface SpeakerSound {
  /** For the speaker's configuration, so that a sentence takes as long as its sound. */
  config: Pick<DeviceConfig, 'chimeMs' | 'clipLengths'>
  /** Attaches the sound to a speaker. Returns a function that ends it. */
  attach(speaker: Pick<Speaker, 'subscribe' | 'snapshot' | 'note'>): () => Promise<void>
}

/** Prepares playing and recording; undefined when neither is wanted. May throw `CannotStart`. */
export function setUpSound(options: SoundOptions): SpeakerSound | undefined {
  const { serial, sound, recordDir, voiceDir } = options
  if (!sound && recordDir === undefined) return undefined
  const pack = packOf(voiceDir)
  const recorder = recordDir === undefined ? undefined : recorderIn(recordDir, serial)
  return {
    config: soundTimesOf(pack),
    attach: (speaker) => {
      const player = sound ? playerFor(speaker, options) : undefined
      return attachVoice(speaker, { pack, ...(player && { player }), ...(recorder && { recorder }) })
    },
  }
}

function packOf(voiceDir: string | undefined): ClipPack {
  try {
    return loadPack(voiceDir)
  } catch (error) {
    if (voiceDir === undefined) throw error
    throw new WrongUsage(`--voice: ${messageOf(error)}. \`npm run clips:check ${voiceDir}\` says more.`)
  }
}

function recorderIn(dir: string, serial: string): Recorder {
  try {
    return createRecorder(dir, serial)
  } catch (error) {
    throw new CannotStart(`--record: ${dir} is not writable: ${messageOf(error)}`)
  }
}

function playerFor(
  speaker: Pick<Speaker, 'note'>,
  { searchPath, clock = systemClock }: SoundOptions,
): Player {
  const onTrouble = (reason: string) => speaker.note({ event: 'trouble', with: 'sound', reason })
  return createPlayer({ programs: findPrograms(searchPath), clock, onTrouble })
}
