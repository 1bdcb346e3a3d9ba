import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvLine } from '../../../../server/platform/lists/csv.ts'

const PYTHON = `
import csv, io, json, sys
json.dump(list(csv.reader(io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8', newline=''))), sys.stdout)`
const NO_PYTHON = spawnSync('python3', ['--version']).status !== 0

/** Python's own reader of CSV, which shares nothing with the code that writes it. */
it.skipIf(NO_PYTHON)("is read by Python's csv module as it was meant", () => {
  const rows = fc.sample(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 5 }), 2_000)
  const wild = rows.map((row) => row.map((cell, index) => (index % 2 ? cell : `${cell}",\r\n${cell}`)))
  const read = spawnSync('python3', ['-c', PYTHON], {
    input: wild.map(csvLine).join(''),
    maxBuffer: 64 * 1024 * 1024,
  })
  expect(read.stderr.toString()).toBe('')
  const bare = (rows: string[][]) => rows.map((row) => row.map((cell) => cell.replaceAll("'", '')))
  const cells: string[][] = JSON.parse(read.stdout.toString())
  expect(bare(cells)).toEqual(bare(wild))
  // Whatever a spreadsheet takes for the delimiter.
  const parts = cells.flat().flatMap((cell) => cell.split(/[;|]|(?<!^')[\t\r\n]/))
  expect(parts.filter((part) => /^[\s"]*[=+\-@＝＋－＠]/.test(part))).toEqual([])
})
