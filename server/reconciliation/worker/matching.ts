import type { FileHead, ProfilePreview } from '../formats/preview.ts'
import type { BankProfile } from '../formats/profile.ts'
import type { Reading } from '../formats/read-file.ts'
import type { AccountPayment, Outcome } from '../match/model.ts'
import { MatchSession, type SessionResult, type SessionRow, type Target } from '../match/session.ts'
import type { Summary } from '../match/summary.ts'
import type { Line, StatementFile } from '../model/statement.ts'

/** Rows of one message: a millisecond to copy. */
const AT_ONCE = 250

export type Matched = Outcome & { id: string }

/**
 * Reads a file and matches rows, in this thread or another one. The calls are made in their order, one after the other;
 * `end` comes last.
 */
export interface Matching {
  /** Rejects with Unreadable. */
  read(bytes: Uint8Array, reading: Reading): Promise<FileHead>
  /** Reads another file by a profile: its first `most` rows, and whether the whole can be imported. */
  preview(bytes: Uint8Array, profile: BankProfile, most: number): Promise<ProfilePreview>
  /** So many rows of the file behind the first `skip`. */
  lines(skip: number): Promise<readonly Line[]>
  addRows(rows: readonly SessionRow[]): Promise<void>
  addPayments(payments: readonly AccountPayment[]): Promise<void>
  /** Adds the rows of the file as those of a new statement. */
  addFile(statementId: string): Promise<void>
  run(zone: string, targets: readonly Target[]): Promise<{ id: string; summary: Summary }[]>
  /** The outcomes of the targets behind the first `skip`: in the order of a statement's rows. Empty at the end. */
  outcomes(skip: number): Promise<readonly Matched[]>
  end(): Promise<void>
}

/** For few rows, and in the worker. */
export function matchingHere(): Matching {
  const session = new MatchSession()
  let file: StatementFile | undefined
  let outcomes: Matched[] = []

  return {
    async read(bytes, reading) {
      // The parsers are loaded where files are read: in the worker.
      const { readWhole } = await import('../formats/preview.ts')
      const read = readWhole(bytes, reading)
      file = read.file
      return read.head
    },
    async preview(bytes, profile, most) {
      const { previewOf } = await import('../formats/preview.ts')
      return previewOf(bytes, profile, most)
    },
    lines: async (skip) => file?.lines.slice(skip, skip + AT_ONCE) ?? [],
    addRows: async (rows) => session.addRows(rows),
    addPayments: async (payments) => session.addPayments(payments),
    addFile: async (statementId) => session.addFile(statementId, file?.lines ?? []),
    async run(zone, targets) {
      const result: SessionResult = session.run(zone, targets)
      outcomes = [...result.outcomes].map(([id, one]) => ({ ...one, id }))
      return [...result.summaries].map(([id, summary]) => ({ id, summary }))
    },
    outcomes: async (skip) => outcomes.slice(skip, skip + AT_ONCE),
    end: async () => undefined,
  }
}
