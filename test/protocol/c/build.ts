import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onceForRun } from '../../support/processes/once-for-run.ts'

/** The example device in C, built for a test. */
export interface CDevice {
  /** The device itself: a program that is started with a serial and a key. */
  device: string
  /** The program that cuts the power at every step of the store of the core. */
  powerCuts: string
  /**
   * Runs cases of test vectors, each as lines for vectors.c, in one process that starts anew at no case; answers
   * what was printed for each. Throws when the process ends in any other way than well.
   */
  run(cases: string[][]): Printed[][]
}

/** One object that vectors.c has printed: an event, a frame, an answer. */
export type Printed = Record<string, unknown>

const SOURCES = fileURLToPath(new URL('../../../protocol/examples/c/', import.meta.url))
const HEADERS = '#include <mosquitto.h>\n#include <openssl/core_names.h>\n'
const SANITIZERS = ['-fsanitize=address,undefined']

/** Why the example can't be built here; undefined when it can. */
export function missingForC(): string | undefined {
  if (spawnSync('make', ['--version']).error || spawnSync('cc', ['--version']).error)
    return 'there is no make or C compiler (apt-get install build-essential)'
  const probe = spawnSync('cc', ['-E', '-x', 'c', '-'], { input: HEADERS })
  if (probe.status !== 0)
    return 'the headers of libmosquitto or OpenSSL 3 are not installed (apt-get install libmosquitto-dev libssl-dev)'
  return undefined
}

/** The example, built once for all tests of a run, with the compiler's sanitizers where it has them. */
export const builtCDevice = async (): Promise<CDevice> => programsIn(await built())

/** What a build leaves out that is as small as it can be: no screen and so no QR, no updates, no new keys. */
const SMALLEST = '-DSB1_NO_SCREEN -DSB1_NO_UPDATE -DSB1_NO_REKEY'

/** The smallest build of the example. */
export const smallestCDevice = async (): Promise<CDevice> =>
  programsIn(await onceForRun('c-device-smallest', (folder) => make(folder, [`CPPFLAGS=${SMALLEST}`])))

/** The core with handles instead of keys, which a secure element has; without the program `device`. */
export const elementCDevice = async (): Promise<CDevice> =>
  programsIn(
    await onceForRun('c-device-element', (folder) =>
      make(folder, ['CPPFLAGS=-DSB1_HANDLE_BYTES=4', `${folder}/vectors-run`]),
    ),
  )

/** Its device linked anew, in a folder of the test's own. */
export async function linkedCDevice(folder: string, ldFlags: string): Promise<CDevice> {
  cpSync(await built(), folder, { recursive: true, preserveTimestamps: true })
  rmSync(`${folder}/sb1-device`)
  make(folder, [`LDFLAGS=${ldFlags}`])
  return programsIn(folder)
}

const built = () => onceForRun('c-device', (folder) => make(folder))

function make(folder: string, variables: string[] = []) {
  const probe = spawnSync('cc', [...SANITIZERS, '-x', 'c', '-o', `${folder}/probe`, '-'], {
    input: 'int main(void) { return 0; }',
  })
  const sanitize = probe.status === 0 ? ['SANITIZE=1'] : []
  const args = ['-j2', '-C', SOURCES, `OUT=${folder}`, ...sanitize, ...variables]
  const made = spawnSync('make', args, { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`the example does not build:\n${made.stderr}`)
}

function programsIn(folder: string): CDevice {
  return {
    device: `${folder}/sb1-device`,
    powerCuts: `${folder}/power-cuts`,
    run: (cases) => runVectors(`${folder}/vectors-run`, cases),
  }
}

function runVectors(program: string, cases: string[][]): Printed[][] {
  const input = cases.map((lines) => `${lines.join('\n')}\nend\n`).join('')
  const ran = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 1e9 })
  if (ran.status !== 0 || ran.stderr !== '')
    throw new Error(`vectors.c ended with ${ran.status}: ${ran.stderr}`)
  const printed: Printed[][] = [[]]
  for (const line of ran.stdout.split('\n').slice(0, -1)) {
    const object: Printed = Object(JSON.parse(line))
    if (object.end) printed.push([])
    else printed.at(-1)?.push(object)
  }
  return printed.slice(0, -1)
}
