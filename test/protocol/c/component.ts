import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of the component in C, and its files. */
export const HOME = fileURLToPath(new URL('../../../protocol/examples/c/', import.meta.url))
export const filesOf = (pattern: string) => globSync(pattern, { cwd: HOME }).sort()
export const textOf = (file: string) => readFileSync(`${HOME}${file}`, 'utf8')
export const CORE = filesOf('core/*.c')
export const HEADERS = filesOf('include/sb1/*.h')

/** What a firmware of our own is compiled with. */
export const WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror']

export const hasProgram = (program: string, ...args: string[]) =>
  spawnSync(program, args.length > 0 ? args : ['--version']).status === 0

/** Runs a program in the component's folder. Returns what it printed. */
export function run(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: HOME, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

/** Says why tests of a program are skipped. */
export function skippedWithout(program: string, what: string, isThere = hasProgram(program)): boolean {
  if (!isThere) process.stderr.write(`${what}: not tested, because ${program} is not installed.\n`)
  return !isThere
}
