import { writeFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { LANGUAGES, type Language } from '../../../protocol/money/language.ts'
import { loadPack } from '../pack.ts'
import { speechImage } from './image.ts'

const USAGE = `Writes the speech of a device with little flash as one file.
Usage: npm run speech:image -- FILE [--voice DIR] [--lang vi]...
  --voice DIR  a clip pack (default: the simulator's own)
  --lang LANG  vi or en; say it again for another one (default: both)
`

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      voice: { type: 'string' },
      lang: { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  })
  const languages = values.lang ?? [...LANGUAGES]
  const [file, ...rest] = positionals
  if (values.help || file === undefined || rest.length > 0 || !languages.every(isLanguage)) {
    process.stderr.write(USAGE)
    return values.help ? 0 : 2
  }
  const image = speechImage(loadPack(values.voice), languages)
  writeFileSync(file, image)
  process.stdout.write(`${file}: ${image.length} bytes\n`)
  return 0
}

const isLanguage = (lang: string): lang is Language => LANGUAGES.some((one) => one === lang)

process.exitCode = main()
