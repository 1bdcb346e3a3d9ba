import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CannotStart } from '../../platform/errors.ts'
import { QEMU } from './qemu.ts'

const SOURCES = fileURLToPath(new URL('../../../protocol/examples/c/', import.meta.url))
const SPEECH = fileURLToPath(new URL('../../sound/', import.meta.url))
const BEARSSL = join(SOURCES, 'mcu/tls/bearssl.sh')
const COMPILER = 'arm-none-eabi-gcc'
const IMAGE = 'firmware.elf'
/** The packages of Debian and Ubuntu, by the program that is needed of them. */
const PACKAGES = {
  make: 'make',
  [COMPILER]: 'gcc-arm-none-eabi libnewlib-arm-none-eabi',
  [QEMU]: 'qemu-system-arm',
}

/** What is needed and not installed, as one sentence; undefined when all is there. */
export function missingForFirmware(): string | undefined {
  const missing = Object.entries(PACKAGES).filter(([program]) => spawnSync(program, ['--version']).error)
  if (missing.length === 0) return undefined
  const programs = missing.map(([program]) => program).join(', ')
  const packages = missing.map(([, names]) => names).join(' ')
  return `The firmware needs what is not installed (${programs}): apt-get install ${packages}`
}

/**
 * The source of BearSSL for `BEARSSL=folder` of the Makefile: where the environment says, or in `cache`, fetched. Throws
 * `CannotStart`.
 */
export function bearSslIn(cache: string, { BEARSSL: given }: NodeJS.ProcessEnv): string {
  if (given !== undefined && given !== '') return resolve(given)
  const folder = join(cache, 'bearssl')
  const { status, stderr, error } = spawnSync('sh', [BEARSSL, folder], { encoding: 'utf8' })
  if (status === 0) return folder
  throw new CannotStart(`${BEARSSL} does not get BearSSL:\n${error?.message ?? stderr}`)
}

/**
 * The firmware, an ELF file in a folder of `cache` that has the name of its content: it is built once for each. `parts`:
 * words for the Makefile. Throws `CannotStart` when a program is missing or the sources do not build.
 */
export function builtFirmware(cache: string, parts: readonly string[] = []): string {
  const missing = missingForFirmware()
  if (missing !== undefined) throw new CannotStart(missing)
  const folder = join(cache, `firmware-${hashOfSources(parts)}`)
  const image = join(folder, IMAGE)
  if (existsSync(image)) return image
  mkdirSync(cache, { recursive: true })
  const building = mkdtempSync(join(cache, 'building-'))
  try {
    const args = ['-j2', '-C', join(SOURCES, 'mcu'), `OUT=${building}`, ...parts]
    const made = spawnSync('make', args, { encoding: 'utf8' })
    if (made.status !== 0) throw new CannotStart(`The firmware does not build:\n${made.stderr}`)
    // Another process may have built the same meanwhile.
    if (!existsSync(image)) renameSync(building, folder)
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
  return image
}

/** The image of the speech that is built beside the firmware. */
export const speechOf = (image: string) => join(dirname(image), 'speech.bin')

function hashOfSources(parts: readonly string[]): string {
  const hash = createHash('sha256').update(`${spawnSync(COMPILER, ['--version']).stdout}${parts.join(' ')}`)
  const files = globSync('{mcu,core,common,include,vectors}/**/*', { cwd: SOURCES, withFileTypes: true })
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  paths.push(...globSync('pack/**/*.wav', { cwd: SPEECH }).map((path) => join(SPEECH, path)))
  for (const path of paths.sort()) hash.update(`${path}\0`).update(readFileSync(path))
  return hash.digest('hex').slice(0, 16)
}
