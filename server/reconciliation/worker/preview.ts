import { createHash } from 'node:crypto'
import type { TriedRow } from '../formats/csv.ts'
import type { BankProfile } from '../formats/profile.ts'
import { readFile, tryFile } from '../formats/read-file.ts'
import { type StatementFile, Unreadable } from '../model/statement.ts'

/** A file without its rows. `sha256`: of the file, hexadecimal. */
export type FileHead = Omit<StatementFile, 'lines'> & { rowCount: number; sha256: string }

/** What a profile makes of a sample of the bank. */
export interface ProfilePreview {
  /** The first rows, each with its values or the reason why it can't be read. */
  rows: readonly TriedRow[]
  /** The whole sample, or why it can't be imported: the line from 1 (0: the whole file) and the reason. */
  whole: { head: FileHead } | { line: number; reason: string }
}

export function headOf(bytes: Uint8Array, { lines, ...head }: StatementFile): FileHead {
  return { ...head, rowCount: lines.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** Reads a sample by a profile: its first `most` rows, and whether the whole can be imported. */
export function previewOf(bytes: Uint8Array, profile: BankProfile, most: number): ProfilePreview {
  let rows: readonly TriedRow[] = []
  try {
    rows = tryFile(bytes, profile, most)
    return { rows, whole: { head: headOf(bytes, readFile(bytes, { account: undefined, profile })) } }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { rows, whole: { line: error.line, reason: error.message } }
  }
}
