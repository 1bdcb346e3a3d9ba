import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CannotStart, WrongUsage } from '../../../simulator/platform/errors.ts'
import { reserveFile } from '../../../simulator/platform/reserve-file.ts'
import { temporaryFolder } from '../../support/folder.ts'

it('empties the file of an option, in a folder that it makes, until there is something to write', () => {
  const file = join(temporaryFolder(), 'out', 'report.json')
  reserveFile('--report', file)('old')
  const write = reserveFile('--report', file)
  expect(readFileSync(file, 'utf8')).toBe('')
  write('new')
  expect(readFileSync(file, 'utf8')).toBe('new')
})

it('is wrong usage where it can’t be written, and a failure where it can’t any more', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  const under = join(folder, 'file', 'report.json')
  expect(() => reserveFile('--report', under)).toThrow(WrongUsage)
  expect(() => reserveFile('--report', under)).toThrow(`--report: ${under} can't be written: `)
  const write = reserveFile('--report', join(folder, 'out', 'report.json'))
  rmSync(join(folder, 'out'), { recursive: true })
  expect(() => write('late')).toThrow(CannotStart)
  expect(() => write('late')).not.toThrow(WrongUsage)
})
