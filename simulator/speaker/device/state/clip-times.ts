import type { CommandBody } from '../../../../protocol/messages/command.ts'
import type { DeviceConfig } from './state.ts'

type Sentence = Pick<CommandBody<'announce'>, 'lang' | 'clips'>
type Lengths = Pick<DeviceConfig, 'chimeMs' | 'msPerClip' | 'clipLengths'>

/** The duration of a sentence with its chime, in milliseconds. */
export function sentenceMs(config: Lengths, { lang, clips }: Sentence): number {
  return clips.split(' ').reduce((sum, clip) => sum + clipMs(config, lang, clip), config.chimeMs)
}

/**
 * The clips that have started after `elapsedMs`, including the one being spoken: a text behind the voice looks broken.
 * The first one counts from the chime on.
 */
export function begunClips(config: Lengths, { lang, clips }: Sentence, elapsedMs: number): string {
  let startsMs = config.chimeMs
  const begun = clips.split(' ').filter((clip, index) => {
    const hasBegun = index === 0 || startsMs <= elapsedMs
    startsMs += clipMs(config, lang, clip)
    return hasBegun
  })
  return begun.join(' ')
}

function clipMs({ msPerClip, clipLengths }: Lengths, lang: Sentence['lang'], clip: string): number {
  return clipLengths[lang]?.[clip] ?? msPerClip
}
