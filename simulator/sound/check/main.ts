import process from 'node:process'
import { parseArgs } from 'node:util'
import { messageOf } from '../../platform/error-text.ts'
import { PACK_DIR } from '../clip-files.ts'
import { checkPack, type PackReport } from './pack.ts'

const USAGE = `Usage: npm run clips:check [FOLDER]

Checks a clip pack: its manifest, that each clip is there and nothing else, and the format, length, silence, peak
and loudness of each clip. Without a folder: the pack of this repository.
Exit code 0: the pack is good, 1: it is not, 2: wrong usage.
`

/** The name of a file may hold what a terminal obeys. */
const printable = (line: string) => line.replaceAll(/\p{Cc}/gu, '\ufffd')

function main(): number {
  try {
    const { values, positionals } = parseArgs({
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
    if (values.help) {
      process.stdout.write(USAGE)
      return 0
    }
    const [dir = PACK_DIR, ...more] = positionals
    if (more.length > 0) throw new Error('Give one folder.')
    return report(dir, checkPack(dir))
  } catch (error) {
    process.stderr.write(`${printable(messageOf(error))}\n${USAGE}`)
    return 2
  }
}

function report(dir: string, { mistakes, languages }: PackReport): number {
  const isGood = mistakes.length === 0
  const verdict = isGood
    ? `${dir} is a good pack.`
    : `${dir} is not a good pack. Mistakes: ${mistakes.length}.`
  for (const line of [...mistakes, ...languages, verdict]) process.stdout.write(`${printable(line)}\n`)
  return isGood ? 0 : 1
}

process.exitCode = main()
