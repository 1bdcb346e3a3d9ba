import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import { clipIds, clipsToText } from '../../../protocol/money/sentence.ts'
import { SAMPLE_RATE } from '../audio.ts'
import { clipFile, PACK_DIR } from '../clip-files.ts'
import { writeWav } from '../wav.ts'
import { espeakVersion, speak } from './espeak.ts'
import { shapeClip } from './shape.ts'

/** Regenerates every clip of the protocol with this machine's espeak-ng. */
function main(): number {
  const version = espeakVersion()
  if (version === undefined) {
    process.stderr.write('espeak-ng is not installed; it is needed to generate the clips.\n')
    return 1
  }
  for (const lang of LANGUAGES) {
    mkdirSync(join(PACK_DIR, lang), { recursive: true })
    let bytes = 0
    for (const clip of clipIds(lang)) {
      const file = writeWav(shapeClip(speak(lang, clipsToText(lang, clip) ?? clip), SAMPLE_RATE), 'mulaw')
      writeFileSync(clipFile(PACK_DIR, lang, clip), file)
      bytes += file.length
    }
    process.stdout.write(`${lang}: ${clipIds(lang).length} clips, ${bytes} bytes, by ${version}\n`)
  }
  return 0
}

process.exitCode = main()
