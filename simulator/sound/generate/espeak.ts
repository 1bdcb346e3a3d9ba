import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Language } from '../../../protocol/money/language.ts'
import { type Audio, readWav } from '../wav.ts'

/** Voice, words per minute, pitch. Fast, because a sentence about millions has thirty words. */
const VOICES: Readonly<Record<Language, readonly string[]>> = {
  vi: ['-v', 'vi', '-s', '190', '-p', '45'],
  en: ['-v', 'en-gb', '-s', '185', '-p', '45'],
}

/** The version line of espeak-ng on the PATH; undefined when it is not installed. */
export function espeakVersion(): string | undefined {
  try {
    return execFileSync('espeak-ng', ['--version'], { encoding: 'utf8' }).split('  ')[0]?.trim()
  } catch {
    return undefined
  }
}

/** A word spoken by espeak-ng. It writes a file, because the lengths in the header of its standard output are wrong. */
export function speak(lang: Language, word: string): Audio {
  const dir = mkdtempSync(join(tmpdir(), 'clips-'))
  try {
    const file = join(dir, 'word.wav')
    execFileSync('espeak-ng', [...VOICES[lang], '-w', file, '--', word])
    return readWav(readFileSync(file))
  } finally {
    rmSync(dir, { recursive: true })
  }
}
