import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { CORE, filesOf, HOME, run, skippedWithout, WARNINGS } from '../../protocol/c/component.ts'
import { casesOf, exhaust, longestFrames } from '../../protocol/c/exhaustive.ts'

/** What compilers, an analyser and an exhaustive search find in the core in C: nothing. */

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0)
const powers = (base: number, most: number) => sum(Array.from({ length: most + 1 }, (_, n) => base ** n))

/** How many texts of up to 4 letters are a value of JSON, as another reader counts them. */
function countOfValues(): number {
  const letters = [...Buffer.from('{}[]":,\\au01-.e \x01', 'latin1'), 0xc3, 0xa9, 0xf0, 0x74]
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const isValue = (bytes: number[]) => {
    try {
      const object = JSON.parse(`{"a":${utf8.decode(Uint8Array.from(bytes))}}`)
      return typeof object === 'object'
    } catch {
      return false
    }
  }
  const count = (bytes: number[]): number =>
    (isValue(bytes) ? 1 : 0) +
    (bytes.length < 4 ? sum(letters.map((letter) => count([...bytes, letter]))) : 0)
  return count([])
}

describe('the core in C', () => {
  describe.each([
    { compiler: 'gcc', more: ['-O2', '-std=c11'] },
    { compiler: 'clang', more: ['-O2', '-std=c11'] },
    { compiler: 'arm-none-eabi-gcc', more: ['-Os', '-std=c11', '-mcpu=cortex-m0plus', '-mthumb'] },
  ])('compiled by $compiler', ({ compiler, more }) => {
    it.skipIf(skippedWithout(compiler, `The warnings of ${compiler}`))('has no warning, in any build', () => {
      const builds = [
        [],
        ['-DSB1_NO_SCREEN', '-DSB1_NO_UPDATE', '-DSB1_NO_REKEY'],
        ['-DSB1_NO_QR', '-DSB1_HANDLE_BYTES=4'],
      ]
      for (const build of builds)
        for (const file of CORE)
          run(compiler, [...more, ...WARNINGS, ...build, '-Iinclude', '-c', '-o', '/dev/null', file])
    })
  })

  it.skipIf(skippedWithout('cppcheck', 'The findings of cppcheck'))(
    'has no finding of cppcheck, and neither have its programs',
    () => {
      const checks = ['--enable=warning,performance,portability', '--error-exitcode=1', '--std=c11', '-q']
      const sources = filesOf('{core,linux,vectors,common}/*.c')
      const { status, stdout, stderr } = spawnSync('cppcheck', [...checks, '-Iinclude', ...sources], {
        cwd: HOME,
        encoding: 'utf8',
      })
      expect([stdout, stderr, status]).toEqual(['', '', 0])
    },
  )

  it.skipIf(skippedWithout('cc', 'The readers of the core in C'))(
    'sb/1 9.1: reads every input of these kinds within its bytes, and as it is meant',
    async () => {
      const frames = longestFrames()
      expect(frames.length).toBeGreaterThan(10)
      const found = await exhaust(frames)
      const counts = Object.fromEntries(found.map(({ readers, inputs, valid }) => [readers, [inputs, valid]]))
      const plain = 94 // ASCII but controls, quotes and backslashes
      const pairs = 8 + 1_920 // escapes and characters of two bytes
      expect(counts).toEqual({
        // An object without members, with spaces.
        json: [powers(21, 5), 1 + 3 + 6 + 10],
        object: [powers(21, 4), countOfValues()],
        // Four of the ten hex digits, then up to two of the eleven letters, or one of three escapes.
        string: [powers(13, 6), 10 ** 4 * (1 + 11 + 11 ** 2 + 3)],
        'cut string': [powers(13, 5), 0],
        'utf-8': [powers(256, 3), 1 + plain + plain ** 2 + pairs + plain ** 3 + 2 * plain * pairs + 61_440],
        number: [powers(256, 3), 10 + 100 + 1_000],
        'long number': [powers(7, 7), expect.any(Number)],
        // 64 letters at each place; of the last one 16, because its last bits are 0.
        key: [42 * 256 + 65_536 + 86, 42 * 64 + 64 * 16],
        clips: [powers(11, 5), expect.any(Number)],
        'long clip': [powers(11, 5), expect.any(Number)],
        frame: [casesOf(frames), expect.any(Number)],
      })
      for (const { readers, valid } of found) if (readers !== 'cut string') expect(valid).toBeGreaterThan(0)
    },
  )
})
