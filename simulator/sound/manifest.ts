import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { LANGUAGES, type Language } from '../../protocol/money/language.ts'
import { fileTrouble } from '../platform/error-text.ts'
import { SAMPLE_RATE } from './audio.ts'

/** The file of a clip pack that says whose voice it is. */
export const MANIFEST = 'manifest.json'

/** The loudness that a pack may state, in dBFS: far from the chime and the beep, it would be too soft or too loud. */
export const SOFTEST = -23
export const LOUDEST = -12

const TEXT_ISSUE = 'must be a line of 1 to 200 characters'
const text = z.string(TEXT_ISSUE).regex(/^(?=.*\S)\P{Cc}{1,200}$/u, TEXT_ISSUE)
const LOUDNESS_ISSUE = `must be a number of dBFS from ${SOFTEST} to ${LOUDEST}`
const VERSION_ISSUE = 'must be three numbers, such as "1.0.0"'
const VOICES_ISSUE = `must name the voice of each language of the pack: ${LANGUAGES.join(' or ')}, or both`

const manifest = z.strictObject(
  {
    /** Of the pack; a change of a clip raises it. */
    version: z.string(VERSION_ISSUE).regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/, VERSION_ISSUE),
    licence: text,
    sampleRate: z.literal(SAMPLE_RATE, `must be ${SAMPLE_RATE}`),
    /** In dBFS, as simulator/sound/check/measure.ts measures it. */
    loudness: z.number(LOUDNESS_ISSUE).min(SOFTEST, LOUDNESS_ISSUE).max(LOUDEST, LOUDNESS_ISSUE),
    /** Who speaks, by language. */
    voices: z
      .partialRecord(z.enum(LANGUAGES), text, VOICES_ISSUE)
      .refine((voices) => Object.keys(voices).length > 0, VOICES_ISSUE),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has the unknown field ${issue.keys.join(', ')}`
        : 'must be a JSON object',
  },
)
export type Manifest = z.infer<typeof manifest>

/** Reads the manifest of a pack; or what is wrong with it, a phrase each. */
export function readManifest(dir: string): { manifest: Manifest } | { mistakes: string[] } {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(join(dir, MANIFEST), 'utf8'))
  } catch (error) {
    return { mistakes: [error instanceof SyntaxError ? 'this is not JSON' : fileTrouble(error)] }
  }
  const { success, data, error } = manifest.safeParse(json)
  if (success) return { manifest: data }
  return { mistakes: error.issues.map(({ path, message }) => [...path, message].join(' ')) }
}

/** The languages that a pack speaks. */
export function languagesOf({ voices }: Manifest): Language[] {
  return LANGUAGES.filter((lang) => voices[lang] !== undefined)
}
