import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onceForRun } from '../../support/processes/once-for-run.ts'
import { inputOf, type Printed, printedIn } from './build.ts'

/** The firmware for a Cortex-M4, and the core on vectors there, in the emulator of a board. */

const SOURCES = fileURLToPath(new URL('../../../protocol/examples/c/mcu/', import.meta.url))
const MACHINE = ['-M', 'mps2-an386', '-display', 'none', '-monitor', 'none']

/** Why the firmware can't be built and run here; undefined when it can. */
export function missingForThumb(): string | undefined {
  if (spawnSync('make', ['--version']).error) return 'there is no make (apt-get install make)'
  const probe = spawnSync('arm-none-eabi-gcc', ['-E', '-x', 'c', '-'], { input: '#include <string.h>\n' })
  if (probe.status !== 0)
    return 'there is no arm-none-eabi-gcc with newlib (apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi)'
  if (spawnSync('qemu-system-arm', ['--version']).error)
    return 'there is no qemu-system-arm (apt-get install qemu-system-arm)'
  return undefined
}

/** A folder with `vectors.elf`, built once for all tests of a run. */
export const builtThumbVectors = () => onceForRun('thumb-vectors', (folder) => makeThumb(folder, ['vectors']))

/** Builds goals of the firmware's Makefile in a folder. */
export function makeThumb(folder: string, goals: string[]) {
  const made = spawnSync('make', ['-j2', '-C', SOURCES, `OUT=${folder}`, ...goals], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`the firmware does not build:\n${made.stderr}`)
}

/** As `run` of `CDevice`, on the emulated machine. `scratch` is a folder of the test's own. */
export function runThumbVectors(program: string, scratch: string, cases: string[][]): Printed[][] {
  const [input, output] = [join(scratch, 'input'), join(scratch, 'output')]
  writeFileSync(input, inputOf(cases))
  const words = `enable=on,target=native,arg=in=${input},arg=out=${output}`
  const args = [...MACHINE, '-serial', 'none', '-semihosting-config', words, '-kernel', program]
  const { status, stderr } = spawnSync('qemu-system-arm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`vectors.c ended with ${status} on the emulator: ${stderr}`)
  return printedIn(readFileSync(output, 'utf8'))
}
