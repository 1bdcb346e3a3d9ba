import { messageOf } from '../platform/error-text.ts'
import type { SpeakerEvent } from '../speaker/device/state/speaker-events.ts'
import type { Speaker } from '../speaker/speaker.ts'
import type { ClipPack } from './audio.ts'
import { beep } from './beep.ts'
import { joinClips } from './join.ts'
import type { Audio } from './wav.ts'

/** What makes the sounds of a speaker audible. */
export interface Player {
  /** Queues a sound behind the current one; sounds never overlap. */
  play(audio: Audio): void
  /** Stops the current sound at once and drops the queue. */
  silence(): void
  /** Stops for good. */
  close(): void
}

export interface Recorder {
  /** Writes a sound; resolves with the file's path, rejects with an Error. */
  record(n: number, what: string, audio: Audio): Promise<string>
}

export interface VoiceOptions {
  pack: ClipPack
  /** Plays the sounds, if given. */
  player?: Player
  /** Records the sounds, if given. */
  recorder?: Recorder
}

/**
 * Plays and records a speaker's sounds at the volume of its settings, and stops a sound when the speaker does.
 * Publishes each recording on the speaker's feed. The returned function ends it and resolves when the last recording is
 * written.
 */
export function attachVoice(
  speaker: Pick<Speaker, 'subscribe' | 'snapshot' | 'note'>,
  { pack, player, recorder }: VoiceOptions,
): () => Promise<void> {
  let sounding: number | undefined
  let written: Promise<unknown> = Promise.resolve()

  const sound = (n: number, what: string, audio: Audio) => {
    sounding = n
    player?.play(audio)
    if (!recorder) return
    const recorded = recorder.record(n, what, audio).then(
      (file) => speaker.note({ event: 'recorded', n, file }),
      (error) =>
        speaker.note({
          event: 'trouble',
          with: 'record',
          reason: `#${n} is not recorded: ${messageOf(error)}`,
        }),
    )
    // Without a value: it would hold those of all before it.
    written = Promise.all([written, recorded]).then(() => undefined)
  }
  const stop = () => {
    sounding = undefined
    player?.silence()
  }
  const onEvent = (event: SpeakerEvent) => {
    const { volume } = speaker.snapshot().settings
    switch (event.event) {
      case 'announce': {
        const { n, amount, currency, lang, clips } = event
        return sound(n, `${amount}${currency}`, joinClips(pack, lang, clips, volume))
      }
      case 'identify':
        return sound(event.n, 'identify', beep(volume))
      case 'failed':
        return event.n === sounding ? stop() : undefined
      case 'power':
        return event.on ? undefined : stop()
      case 'broken':
        return stop()
      default:
        return undefined
    }
  }
  const end = speaker.subscribe((item) => {
    if (item.kind === 'event') onEvent(item.event)
  })
  return async () => {
    end()
    player?.close()
    await written
  }
}
