import { createHash } from 'node:crypto'
import { type StatementFile, Unreadable } from '../model/statement.ts'
import type { TriedRow } from './csv.ts'
import type { BankProfile } from './profile.ts'
import { type Reading, readFile, tryFile } from './read-file.ts'

/** A file without its rows. `sha256`: of the file, hexadecimal. */
export type FileHead = Omit<StatementFile, 'lines'> & { rowCount: number; sha256: string }

/** What a profile makes of a sample of the bank. */
export interface ProfilePreview {
  /** The first rows, each with its values or the reason why it can't be read. */
  rows: readonly TriedRow[]
  /** The whole sample, or why it can't be imported: the line from 1 (0: the whole file) and the reason. */
  whole: { head: FileHead } | { line: number; reason: string }
}

/** Reads a whole file. Throws Unreadable. */
export function readWhole(bytes: Uint8Array, reading: Reading): { file: StatementFile; head: FileHead } {
  const file = readFile(bytes, reading)
  const { lines, ...head } = file
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { file, head: { ...head, rowCount: lines.length, sha256 } }
}

/** Reads a sample by a profile: its first `most` rows, and whether the whole can be imported. */
export function previewOf(bytes: Uint8Array, profile: BankProfile, most: number): ProfilePreview {
  let rows: readonly TriedRow[] = []
  try {
    rows = tryFile(bytes, profile, most)
    return { rows, whole: { head: readWhole(bytes, { account: undefined, profile }).head } }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { rows, whole: { line: error.line, reason: error.message } }
  }
}
