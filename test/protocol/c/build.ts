import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onceForRun } from '../../support/processes/once-for-run.ts'

/** The core in C, built for a test. */
export interface CCore {
  /** The program that cuts the power at every step of the store of the core. */
  powerCuts: string
  /**
   * Runs cases of test vectors, each as lines for vectors.c, in one process that starts anew at no case; answers
   * what was printed for each. Throws when the process ends in any other way than well.
   */
  run(cases: string[][]): Printed[][]
}

/** The example device in C, built for a test. */
export interface CDevice {
  /** The device itself: a program that is started with a serial and a key. */
  device: string
}

/** One object that vectors.c has printed: an event, a frame, an answer. */
export type Printed = Record<string, unknown>

const SOURCES = fileURLToPath(new URL('../../../protocol/examples/c/', import.meta.url))
const SANITIZERS = ['-fsanitize=address,undefined']
/** What a build leaves out that is as small as it can be: no screen and so no QR, no updates, no new keys. */
const SMALLEST = 'CPPFLAGS=-DSB1_NO_SCREEN -DSB1_NO_UPDATE -DSB1_NO_REKEY'
/** Keys are handles of a secure element. */
const ELEMENT = 'CPPFLAGS=-DSB1_HANDLE_BYTES=4'

/** Why the core can't be tested here; undefined when it can. */
export function missingForCore(): string | undefined {
  if (spawnSync('make', ['--version']).error || spawnSync('cc', ['--version']).error)
    return 'there is no make or C compiler (apt-get install build-essential)'
  return hasHeader('openssl/core_names.h')
    ? undefined
    : 'the headers of OpenSSL 3 are not installed (apt-get install libssl-dev)'
}

/** Why the example can't be built here; undefined when it can. */
export function missingForC(): string | undefined {
  const missing = missingForCore()
  if (missing !== undefined || hasHeader('mosquitto.h')) return missing
  return 'the headers of libmosquitto are not installed (apt-get install libmosquitto-dev)'
}

const hasHeader = (header: string) =>
  spawnSync('cc', ['-E', '-x', 'c', '-'], { input: `#include <${header}>\n` }).status === 0

/** The core, built once for all tests of a run, with the compiler's sanitizers where it has them. */
export const builtCCore = () => core('c-core')
export const smallestCCore = () => core('c-core-smallest', SMALLEST)
export const elementCCore = () => core('c-core-element', ELEMENT)

async function core(name: string, ...options: string[]): Promise<CCore> {
  const programs = ['vectors-run', 'power-cuts']
  const folder = await onceForRun(name, (out) =>
    make(out, [...options, ...programs.map((program) => `${out}/${program}`)]),
  )
  return { powerCuts: `${folder}/power-cuts`, run: (cases) => runVectors(`${folder}/vectors-run`, cases) }
}

/** The example, built likewise. */
export const builtCDevice = async (): Promise<CDevice> => deviceIn(await device('c-device'))
export const smallestCDevice = async (): Promise<CDevice> =>
  deviceIn(await device('c-device-smallest', SMALLEST))

/**
 * The program of the tasks, with the sanitizer for threads or with the usual ones: each prints what it finds, and makes
 * the exit code another one than 0. With the first one the queue has room for one event, so it is often full.
 */
export async function tasksOfC(sanitizer: 'thread' | 'address'): Promise<CDevice> {
  const options = sanitizer === 'thread' ? ['SANITIZE=thread', 'CPPFLAGS=-DCORE_EVENTS=1'] : []
  const folder = await onceForRun(`c-tasks-${sanitizer}`, (out) =>
    make(out, [...options, `${out}/sb1-threads`]),
  )
  return { device: `${folder}/sb1-threads` }
}

/** Its device linked anew, in a folder of the test's own. */
export async function linkedCDevice(folder: string, ldFlags: string): Promise<CDevice> {
  cpSync(await device('c-device'), folder, { recursive: true, preserveTimestamps: true })
  rmSync(`${folder}/sb1-device`)
  make(folder, [`LDFLAGS=${ldFlags}`, `${folder}/sb1-device`])
  return deviceIn(folder)
}

/** The programs that test parts of the firmware: modem, MQTT, session and core; speech; SHA-256. */
export interface CLine {
  /** As the device of the example, over a modem for tests. */
  device: string
  /** The program that makes the modem fail at every byte. */
  faults: string
  /** The program that plays a sound. */
  speech: string
  /** As `run` of `CDevice`, with the SHA-256 of the firmware. */
  runVectors(cases: string[][]): Printed[][]
  /** Runs cases, each as lines for line_run.c; answers what was printed for each. */
  run(cases: string[][]): Printed[][]
}

/** Built once for all tests of a run, with the compiler's sanitizers where it has them. */
export async function builtCLine(): Promise<CLine> {
  const folder = await onceForRun('c-line', (made) => make(made, [], 'mcu/host/'))
  return {
    device: `${folder}/line-device`,
    faults: `${folder}/modem-faults`,
    speech: `${folder}/speech-run`,
    runVectors: (cases) => runVectors(`${folder}/vectors-run`, cases),
    run: (cases) => runVectors(`${folder}/line-run`, cases),
  }
}

const device = (name: string, ...options: string[]) =>
  onceForRun(name, (out) => make(out, [...options, `${out}/sb1-device`]))

const deviceIn = (folder: string): CDevice => ({ device: `${folder}/sb1-device` })

function make(folder: string, variables: string[] = [], part = '') {
  const probe = spawnSync('cc', [...SANITIZERS, '-x', 'c', '-o', `${folder}/probe`, '-'], {
    input: 'int main(void) { return 0; }',
  })
  const sanitize = probe.status === 0 ? ['SANITIZE=1'] : []
  const args = ['-j2', '-C', SOURCES + part, `OUT=${folder}`, ...sanitize, ...variables]
  const made = spawnSync('make', args, { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`the example does not build:\n${made.stderr}`)
}

function runVectors(program: string, cases: string[][]): Printed[][] {
  const ran = spawnSync(program, { input: inputOf(cases), encoding: 'utf8', maxBuffer: 1e9 })
  if (ran.status !== 0 || ran.stderr !== '')
    throw new Error(`${program} ended with ${ran.status}: ${ran.stderr}`)
  return printedIn(ran.stdout)
}

/** The lines for vectors.c: it says when each case has ended. */
export function inputOf(cases: string[][]): string {
  return cases.map((lines) => `${lines.join('\n')}\nend\n`).join('')
}

/** What vectors.c has printed for each case. */
export function printedIn(output: string): Printed[][] {
  const printed: Printed[][] = [[]]
  for (const line of output.split('\n').slice(0, -1)) {
    const object: Printed = Object(JSON.parse(line))
    if (object.end) printed.push([])
    else printed.at(-1)?.push(object)
  }
  return printed.slice(0, -1)
}
