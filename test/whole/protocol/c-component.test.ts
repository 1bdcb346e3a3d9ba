import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SPEC_VERSION } from '../../../protocol/version.ts'
import { missingForCore } from '../../protocol/c/build.ts'
import {
  CORE,
  filesOf,
  HEADERS,
  HOME,
  hasProgram,
  run,
  textOf,
  WARNINGS,
} from '../../protocol/c/component.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** The core in C as a component that a firmware takes in as it is: its versions, its licence, other compilers. */

describe('the component in C', () => {
  it('names its licence in each file, and brings its text', () => {
    const sources = [...filesOf('core/*.[ch]'), ...HEADERS]
    const bare = sources.filter((file) => !textOf(file).startsWith('/* SPDX-License-Identifier: MIT */\n'))
    expect(sources.length).toBeGreaterThan(20)
    expect(bare).toEqual([])
    const licence = readFileSync('LICENSE', 'utf8')
    expect([textOf('LICENSE'), textOf('../../LICENSE')]).toEqual([licence, licence])
  })

  it('has one version in all places, and that of the specification', () => {
    const defined = (name: string) =>
      new RegExp(`#define SB1_${name} "?([^"\n]+)`).exec(textOf('include/sb1/version.h'))?.[1]
    const version = ['MAJOR', 'MINOR', 'PATCH'].map((part) => defined(`VERSION_${part}`)).join('.')
    expect(defined('VERSION')).toBe(version)
    expect(/^## (\S+)/m.exec(textOf('CHANGELOG.md'))?.[1]).toBe(version)
    expect(defined('SPEC_VERSION')).toBe(SPEC_VERSION)
  })

  it.skipIf(missingForCore() !== undefined || !hasProgram('g++'))('is a part of a program in C++', () => {
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
