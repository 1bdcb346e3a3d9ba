import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SPEC_VERSION } from '../../../protocol/version.ts'
import { missingForC } from '../../protocol/c/build.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** The core in C as a component that a firmware takes in as it is: its versions, its licence, other compilers. */

const HOME = fileURLToPath(new URL('../../../protocol/examples/c/', import.meta.url))
const read = (file: string) => readFileSync(`${HOME}${file}`, 'utf8')
const files = (pattern: string) => globSync(pattern, { cwd: HOME }).sort()
const CORE = files('core/*.c')
const HEADERS = files('include/sb1/*.h')
const hasProgram = (program: string) => spawnSync(program, ['--version']).error === undefined

/** Runs a program in the component's folder. Returns what it printed. */
function run(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: HOME, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

const WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror']

describe('the component in C', () => {
  it('names its licence in each file, and brings its text', () => {
    const sources = [...files('core/*'), ...HEADERS]
    const bare = sources.filter((file) => !read(file).startsWith('/* SPDX-License-Identifier: MIT */\n'))
    expect(sources.length).toBeGreaterThan(20)
    expect(bare).toEqual([])
    const licence = readFileSync('LICENSE', 'utf8')
    expect([read('LICENSE'), read('../../LICENSE')]).toEqual([licence, licence])
  })

  it('has one version in all places, and that of the specification', () => {
    const defined = (name: string) =>
      new RegExp(`#define SB1_${name} "?([^"\n]+)`).exec(read('include/sb1/version.h'))?.[1]
    const version = ['MAJOR', 'MINOR', 'PATCH'].map((part) => defined(`VERSION_${part}`)).join('.')
    expect(defined('VERSION')).toBe(version)
    expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version)
    expect(defined('SPEC_VERSION')).toBe(SPEC_VERSION)
  })

  it.skipIf(missingForC() !== undefined || !hasProgram('g++'))('is a part of a program in C++', () => {
    const out = temporaryFolder()
    run('make', [
      '-j2',
      `OUT=${out}`,
      ...CORE.map((file) => `${out}/${file.replace(/c$/, 'o')}`),
      `${out}/linux/crypto_openssl.o`,
    ])
    const objects = [...globSync(`${out}/core/*.o`), `${out}/linux/crypto_openssl.o`]
    const flags = ['-std=c++17', ...WARNINGS, '-Iinclude']
    run('g++', [...flags, '-o', `${out}/cplusplus`, 'vectors/cplusplus.cc', ...objects, '-lcrypto'])
    expect(run(`${out}/cplusplus`, [])).toBe('birth 1\n5\n')
  })

  it.skipIf(!hasProgram('arm-none-eabi-gcc'))('compiles for a small machine, with its test programs', () => {
    const machine = ['-mcpu=cortex-m0plus', '-mthumb', '-Os', '-std=c11', '-Iinclude', '-c']
    const programs = ['vectors/vectors.c', 'vectors/state.c', 'vectors/frames.c']
    for (const file of [...CORE, ...programs])
      run('arm-none-eabi-gcc', [...machine, ...WARNINGS, '-o', '/dev/null', file])
  })

  it.skipIf(!hasProgram('g++')).each(HEADERS)('%s can be included alone in C and in C++', (header) => {
    const source = `#include "${header.slice('include/'.length)}"\nint one;\n`
    for (const language of [
      ['-x', 'c', '-std=c11'],
      ['-x', 'c++', '-std=c++11'],
    ]) {
      const args = [...language, ...WARNINGS, '-Iinclude', '-fsyntax-only', '-']
      const { status, stderr } = spawnSync('g++', args, { cwd: HOME, input: source, encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
    }
  })
})
