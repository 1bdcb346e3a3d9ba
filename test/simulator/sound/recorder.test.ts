import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRecorder } from '../../../simulator/sound/recorder.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { readRiff } from '../support/wav.ts'

const tone = (height: number) => ({ rate: 16_000, samples: Int16Array.of(0, height, -height, 0) })

describe('a recording', () => {
  it('is a file named by speaker, number and content, in a new folder', async () => {
    const dir = join(temporaryFolder(), 'a', 'b')
    const file = await createRecorder(dir, 'SPK-0001').record(42, '50000VND', tone(9))
    expect(file).toBe(join(dir, 'SPK-0001-000042-50000VND.wav'))
    expect(readRiff(readFileSync(file))).toEqual(tone(9))
  })

  it.runIf(existsSync('/proc/self'))(
    'is refused where no folder can be made, and does not try for ever',
    () => {
      expect(() => createRecorder('/proc/nowhere/a', 'SPK-0001')).toThrow(/ENOENT/)
    },
  )

  it('never replaces another file, and leaves no other file', async () => {
    const dir = temporaryFolder()
    const names = []
    for (const height of [1, 2, 3]) {
      const recorder = createRecorder(dir, 'SPK-0001')
      names.push(await recorder.record(7, 'identify', tone(height)))
    }
    expect(names.map((file) => readRiff(readFileSync(file)).samples[1])).toEqual([1, 2, 3])
    expect(readdirSync(dir).sort()).toEqual([
      'SPK-0001-000007-identify-2.wav',
      'SPK-0001-000007-identify-3.wav',
      'SPK-0001-000007-identify.wav',
    ])
  })

  it('keeps order and names when several start together', async () => {
    const recorder = createRecorder(temporaryFolder(), 'SPK-0001')
    const files = await Promise.all([1, 2, 1].map((n) => recorder.record(n, 'identify', tone(n))))
    expect(files.map((file) => basename(file))).toEqual([
      'SPK-0001-000001-identify.wav',
      'SPK-0001-000002-identify.wav',
      'SPK-0001-000001-identify-2.wav',
    ])
  })

  it('that fails says why, and does not prevent the next', async () => {
    const dir = temporaryFolder()
    const recorder = createRecorder(dir, 'SPK-0001')
    await expect(recorder.record(1, 'no/such', tone(1))).rejects.toThrow(/ENOENT/)
    expect(await recorder.record(2, 'identify', tone(1))).toContain('000002-identify.wav')
  })

  it('is refused at the start when the folder can’t be created', () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(() => createRecorder(file, 'SPK-0001')).toThrow(/EEXIST|ENOTDIR/)
  })
})
