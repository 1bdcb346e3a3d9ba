import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The example device in C, built for a test. */
export interface CDevice {
  /** The device itself: a program that is started with a serial and a key. */
  device: string
  /** Runs lines of test vectors (see vectors.c) in one process; answers what it printed, parsed, and what went wrong. */
  run(lines: string[]): { printed: Record<string, unknown>[]; stderr: string; status: number | null }
}

const SOURCES = fileURLToPath(new URL('../../protocol/examples/c/', import.meta.url))
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

/** Builds the example in a folder of the test's own, with the compiler's sanitizers where it has them. */
export function buildCDevice(folder: string): CDevice {
  const probe = spawnSync('cc', [...SANITIZERS, '-x', 'c', '-o', `${folder}/probe`, '-'], {
    input: 'int main(void) { return 0; }',
  })
  const sanitize = probe.status === 0 ? ['SANITIZE=1'] : []
  const made = spawnSync('make', ['-j2', '-C', SOURCES, `OUT=${folder}`, ...sanitize], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`the example does not build:\n${made.stderr}`)
  return {
    device: `${folder}/sb1-device`,
    run(lines) {
      const input = `${lines.join('\n')}\n`
      const ran = spawnSync(`${folder}/vectors-run`, { input, encoding: 'utf8', maxBuffer: 1e9 })
      const printed = ran.stdout.split('\n').filter((line) => line !== '')
      return {
        printed: printed.map((line) => Object(JSON.parse(line))),
        stderr: ran.stderr,
        status: ran.status,
      }
    },
  }
}
