import type { CommandBody } from '../../../../protocol/messages/command.ts'
import type { DeviceConfig } from './state.ts'

type Sentence = Pick<CommandBody<'announce'>, 'lang' | 'clips'>
type Lengths = Pick<DeviceConfig, 'msPerClip' | 'clipLengths'>

/** How long a sentence sounds, in milliseconds. */
export function sentenceMs(config: Lengths, { lang, clips }: Sentence): number {
  return clips.split(' ').reduce((sum, clip) => sum + clipMs(config, lang, clip), 0)
}

/**
 * The clips that have begun to sound after `elapsedMs`: the one that is just being spoken is among them, because
 * a screen that lags behind the voice looks broken.
 */
export function begunClips(config: Lengths, { lang, clips }: Sentence, elapsedMs: number): string {
  let startsMs = 0
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
