import { fillRegion } from '../../../protocol/generate/spec/readme.ts'
import { LANGUAGES, type Language } from '../../../protocol/money/language.ts'
import { announcementClips, clipIds, clipsToText } from '../../../protocol/money/sentence.ts'
import { SAMPLE_RATE } from '../audio.ts'
import {
  HIGHEST_PEAK,
  LEAST_MS,
  MOST_EDGE,
  MOST_END_MS,
  MOST_GAP_MS,
  MOST_MS,
  MOST_START_MS,
  TOLERANCE_DB,
} from '../check/clip.ts'
import { isGroupEnd } from '../join.ts'
import { LOUDEST, SOFTEST } from '../manifest.ts'

const NAMES: Readonly<Record<Language, string>> = { vi: 'Vietnamese', en: 'English' }

/** Amounts that shops have, the small ones first; the last two are for the words of very large ones. */
const AMOUNTS = [...Array.from({ length: 1_100 }, (_, index) => 1_000 * (index + 1)), 1e9, 1e12].map(String)

/** Replaces the generated regions of docs/voices.md. */
export function fillVoices(page: string): string {
  return fillRegion(fillRegion(page, 'clips', voiceTables()), 'limits', limitsTable())
}

/** The clips that a voice records, a table for each language, in Markdown. */
function voiceTables(): string {
  return LANGUAGES.map(tableOf).join('\n\n')
}

/** What each clip is checked for, in Markdown. */
function limitsTable(): string {
  return [
    '| Of each clip | Limit |',
    '|---|---|',
    `| format | WAV of ${SAMPLE_RATE} Hz, one channel, 16-bit PCM or µ-law |`,
    `| length | ${LEAST_MS} to ${MOST_MS} ms |`,
    `| silence: below 2 % of the clip's loudest sample | at most ${MOST_START_MS} ms before the word, ${MOST_END_MS} ms after it, ${MOST_GAP_MS} ms within it |`,
    `| peak | at most ${HIGHEST_PEAK} dBFS; a louder clip counts as clipped |`,
    `| first and last sample | at most ${100 * MOST_EDGE} % of full scale |`,
    `| loudness | within ${TOLERANCE_DB} dB of the manifest's, which is ${SOFTEST} to ${LOUDEST} dBFS |`,
    '| content | of its own: no two clips of a language have the same samples |',
  ].join('\n')
}

function tableOf(lang: Language): string {
  const sentences = AMOUNTS.map((amount) => announcementClips(lang, amount))
  const rows = clipIds(lang).map((clip) => {
    const clips = sentences.find((sentence) => sentence.split(' ').includes(clip))
    if (clips === undefined) throw new Error(`no sentence has ${clip}`)
    const word = clipsToText(lang, clip)?.toLowerCase()
    return `| \`${lang}/${clip}.wav\` | ${word} | ${clipsToText(lang, clips)} | ${placeOf(clip, clips.split(' '))} |`
  })
  return [
    `**${NAMES[lang]}**, ${rows.length} clips:`,
    '',
    '| File | Say | Heard in | Its place |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function placeOf(clip: string, sentence: readonly string[]): string {
  if (clip === sentence[0]) return 'opens the sentence'
  if (clip === sentence.at(-1)) return 'ends the sentence'
  return isGroupEnd(clip) ? 'ends a group' : 'goes on'
}
