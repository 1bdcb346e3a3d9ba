import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { missingForCore } from '../../protocol/c/build.ts'
import { CORE, filesOf, HOME, hasProgram, run, skippedWithout, textOf } from '../../protocol/c/component.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** The component in C for the build systems of firmware: CMake, ESP-IDF, Zephyr, PlatformIO. */

const FIRMWARE = fileURLToPath(new URL('../../protocol/c/packages', import.meta.url))
const VERSION = /#define SB1_VERSION "(.*)"/.exec(textOf('include/sb1/version.h'))?.[1] ?? ''
/** Debian has it for its own Python. */
const PYTHON = '/usr/bin/python3'
const MODULE = parse(textOf('zephyr/module.yml'))

const lacksCMake = missingForCore() !== undefined || skippedWithout('cmake', 'The component in C with CMake')
const lacksKconfig =
  lacksCMake ||
  skippedWithout('python3-kconfiglib', 'Its Kconfig', hasProgram(PYTHON, '-c', 'import kconfiglib'))

/** Configures and builds a firmware with the component. Returns the folder, and the files that were compiled. */
function built(build: string, ...options: string[]) {
  const out = temporaryFolder()
  const place = [
    `-DSB1=${HOME}`,
    `-DMODULE_CMAKE=${MODULE.build.cmake}`,
    `-DCRYPTO=${HOME}linux/crypto_openssl.c`,
  ]
  run('cmake', ['-S', FIRMWARE, '-B', out, `-DBUILD=${build}`, ...place, ...options])
  run('cmake', ['--build', out, '-j2'])
  const commands: { file: string }[] = JSON.parse(readFileSync(`${out}/compile_commands.json`, 'utf8'))
  const compiled = commands
    .map(({ file }) => file.replace(HOME, ''))
    .filter((file) => file.startsWith('core/'))
  return { out, compiled: compiled.sort() }
}

/** The variables of a Kconfig, as a file for CMake. */
function configured(kconfig: string, ...given: string[]): string {
  const file = `${temporaryFolder()}/config.cmake`
  writeFileSync(file, run(PYTHON, [`${FIRMWARE}/kconfig.py`, `${HOME}${kconfig}`, ...given]))
  return `-DCONFIG=${file}`
}

const DEFAULTS = `${VERSION} ready=1 alike=1 qr=1 update=1 rx=512 sounds=8 key=32\n`
const SMALL = `${VERSION} ready=1 alike=1 qr=0 update=0 rx=256 sounds=4 key=32\n`
const SMALL_OPTIONS = ['SB1_SCREEN=n', 'SB1_UPDATE=n', 'SB1_RX_BYTES=256', 'SB1_SOUNDS=4']

describe('the packages of the component in C', () => {
  it.skipIf(lacksCMake)('is a library of CMake, with options', () => {
    const { out, compiled } = built('plain')
    expect(compiled).toEqual(CORE)
    expect(run(`${out}/firmware`, [])).toBe(DEFAULTS)
    const small = built('plain', ...SMALL_OPTIONS.map((option) => `-D${option.replace('=n', '=OFF')}`))
    expect(run(`${small.out}/firmware`, [])).toBe(SMALL)
  })

  it.skipIf(lacksCMake)('can be installed and found by CMake', () => {
    const [out, prefix] = [temporaryFolder(), temporaryFolder()]
    run('cmake', ['-S', HOME, '-B', out, `-DCMAKE_INSTALL_PREFIX=${prefix}`])
    run('cmake', ['--build', out, '-j2', '--target', 'install'])
    const { out: firmware } = built('installed', `-DCMAKE_PREFIX_PATH=${prefix}`)
    expect(run(`${firmware}/firmware`, [])).toBe(DEFAULTS)
  })

  it.skipIf(lacksCMake || skippedWithout('arm-none-eabi-gcc', 'The component in C for a Cortex-M0+'))(
    'builds with a toolchain file for a Cortex-M0+',
    () => {
      const toolchain = `${temporaryFolder()}/arm.cmake`
      writeFileSync(
        toolchain,
        `set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m0plus -mthumb -Os")
`,
      )
      expect(built('plain', `-DCMAKE_TOOLCHAIN_FILE=${toolchain}`).compiled).toEqual(CORE)
    },
  )

  it.skipIf(lacksKconfig).each([
    ['esp-idf', 'Kconfig', []],
    ['zephyr', MODULE.build.kconfig, ['SB1=y']],
  ])('is a component of %s, with its options in Kconfig', (build, kconfig, on) => {
    const { out, compiled } = built(build, configured(kconfig, ...on))
    expect(compiled).toEqual(CORE)
    expect(run(`${out}/firmware`, [])).toBe(DEFAULTS)
    const small = built(build, configured(kconfig, ...on, ...SMALL_OPTIONS))
    expect(run(`${small.out}/firmware`, [])).toBe(SMALL)
  })

  it.skipIf(lacksKconfig)('adds nothing to a firmware with Zephyr that leaves it off', () => {
    expect(readFileSync(configured('zephyr/Kconfig').replace('-DCONFIG=', ''), 'utf8')).toBe('')
  })

  it('has the fields of a module of Zephyr, and its paths exist', () => {
    expect(MODULE).toEqual({ name: 'sb1', build: { cmake: 'zephyr', kconfig: 'zephyr/Kconfig' } })
    expect(filesOf(`{${MODULE.build.cmake}/CMakeLists.txt,${MODULE.build.kconfig}}`)).toHaveLength(2)
  })

  it('has the fields of a manifest of ESP-IDF', () => {
    const manifest = parse(textOf('idf_component.yml'))
    const known = ['version', 'description', 'license', 'dependencies', 'files']
    expect(Object.keys(manifest)).toEqual(known)
    expect(manifest).toMatchObject({
      version: VERSION,
      license: 'MIT',
      dependencies: { idf: { version: '>=5.0' } },
    })
    for (const pattern of manifest.files.exclude) expect(filesOf(pattern)).not.toEqual([])
  })

  it('has the fields of a manifest of PlatformIO, and builds every file of the core', () => {
    const { build, export: exported, ...manifest } = JSON.parse(textOf('library.json'))
    expect(manifest).toEqual({
      name: expect.stringMatching(/^[a-z0-9]+(-[a-z0-9]+)*$/),
      version: VERSION,
      description: expect.stringMatching(/^.{1,255}$/),
      keywords: expect.arrayContaining([expect.stringMatching(/^[a-z0-9-]+$/)]),
      license: 'MIT',
      frameworks: '*',
      platforms: '*',
      headers: 'sb1/sb1.h',
    })
    // Without a filter it takes all C files below the folder.
    expect(filesOf(`${build.srcDir}/**/*.c`)).toEqual(CORE)
    expect(filesOf(`${build.includeDir}/${manifest.headers}`)).toHaveLength(1)
    expect(exported.include.flatMap((file: string) => filesOf(file))).toEqual(exported.include)
  })

  it('names every file of the core in each list', () => {
    const listed = [...textOf('core/sources.cmake').matchAll(/\$\{SB1_HOME\}\/(core\/\w+\.c)/g)].map(
      ([, file]) => file,
    )
    expect(listed).toEqual(CORE)
  })

  it('has one version in each manifest', () => {
    expect(textOf('CMakeLists.txt')).toContain(`project(sb1 VERSION ${VERSION} `)
  })
})
