import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES, type Language } from '../../../protocol/money/language.ts'
import { clipIds, clipsToText } from '../../../protocol/money/sentence.ts'
import { errorCode, fileTrouble } from '../../platform/error-text.ts'
import { clipFile } from '../clip-files.ts'
import { languagesOf, MANIFEST, type Manifest, readManifest } from '../manifest.ts'
import { type ClipReport, checkClip, decibels } from './clip.ts'

export interface PackReport {
  /** A line each, which begins with the file. */
  mistakes: string[]
  /** A line about each language. */
  languages: string[]
}

/**
 * Checks a clip pack: its manifest, that each clip of its languages is there and nothing else, and each clip. An Error when
 * there is no such folder.
 */
export function checkPack(dir: string): PackReport {
  const read = readManifest(dir)
  const manifest = 'manifest' in read ? read.manifest : undefined
  // Without a manifest, the folders tell which languages the pack has.
  const spoken = manifest ? languagesOf(manifest) : foldersIn(dir).filter(isLanguage)
  const reports = spoken.map((lang) => checkLanguage(dir, lang, manifest))
  return {
    mistakes: [
      ...('mistakes' in read ? read.mistakes.map((mistake) => `${MANIFEST}: ${mistake}`) : []),
      ...foldersIn(dir)
        .filter((folder) => !spoken.some((lang) => lang === folder))
        .map((folder) => `${folder}: ${MANIFEST} names no voice of such a language`),
      ...reports.flatMap(({ mistakes }) => mistakes),
    ],
    languages: reports.flatMap(({ languages }) => languages),
  }
}

function checkLanguage(dir: string, lang: Language, manifest: Manifest | undefined): PackReport {
  const nameOf = (clip: string) => `${lang}/${clip}.wav`
  const reports = clipIds(lang).map((clip) => ({ clip, ...checkFile(dir, lang, clip, manifest) }))
  const known = new Set(clipIds(lang).map((clip) => `${clip}.wav`))
  const strays = filesIn(join(dir, lang)).filter((name) => !known.has(name))
  const mistakes = [
    ...reports.flatMap(({ clip, mistakes }) => mistakes.map((mistake) => `${nameOf(clip)}: ${mistake}`)),
    ...strays.map((name) => `${lang}/${name}: this is no clip of the language`),
    ...duplicates(reports).map(
      ([clip, other]) => `${nameOf(clip)}: it has the same sound as ${nameOf(other)}`,
    ),
  ]
  const measured = reports.flatMap(({ measured }) => measured ?? [])
  const seconds = measured.reduce((sum, { ms }) => sum + ms, 0) / 1000
  const levels = measured.map(({ loudness }) => loudness)
  const [least, most] = [Math.min(...levels), Math.max(...levels)].map(decibels)
  const about = `${measured.length} clips, ${seconds.toFixed(1)} s, ${least} to ${most} dBFS`
  return { mistakes, languages: [`${lang}: ${about}, ${manifest?.voices[lang] ?? 'no voice'}`] }
}

function checkFile(dir: string, lang: Language, clip: string, manifest: Manifest | undefined): ClipReport {
  let file: Uint8Array
  try {
    file = readFileSync(clipFile(dir, lang, clip))
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT'
    const word = clipsToText(lang, clip)
    return { mistakes: [isMissing ? `it is missing; it says “${word}”` : fileTrouble(error)] }
  }
  return checkClip(file, manifest?.loudness)
}

/** Pairs of clips with the same samples: a file was copied, and not recorded. */
function duplicates(reports: readonly (ClipReport & { clip: string })[]): [clip: string, other: string][] {
  const first = new Map<string, string>()
  return reports.flatMap(({ clip, measured }) => {
    if (!measured) return []
    const sound = measured.audio.samples.join()
    const other = first.get(sound)
    if (other !== undefined) return [[clip, other] as [string, string]]
    first.set(sound, clip)
    return []
  })
}

function isLanguage(name: string): name is Language {
  return LANGUAGES.some((lang) => lang === name)
}

/** Hidden ones are of the system, not of the pack. */
function foldersIn(dir: string): string[] {
  const entries = readdirSync(dir, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name)
}

/** Empty for a folder that is not there. */
function filesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => !name.startsWith('.'))
  } catch {
    return []
  }
}
