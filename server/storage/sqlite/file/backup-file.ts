import { closeSync, fsyncSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { OperatorError, reason } from '../../../platform/errors.ts'
import type { Vault } from '../../../security/vault.ts'
import { isSealedUnder } from '../engine/canary.ts'
import { hasTable } from '../schema/migrate.ts'

/** The payments in a database. */
export interface Holdings {
  payments: number
  /** When the newest payment was received, milliseconds since the epoch. Undefined when there is none. */
  newestAt: number | undefined
}

/**
 * Checks a whole file without changing it: it is undamaged, from a hub, and sealed under this master key. Throws an
 * OperatorError when it is not; `name` is the operator's name for the file. The file must not be in use.
 */
export function verify(file: string, name: string, vault: Vault): Holdings {
  const sqlite = open(file, name)
  try {
    if (sqlite.pragma('integrity_check(1)', { simple: true }) !== 'ok') throw damaged(name)
    const opens = isSealedUnder(sqlite, vault)
    if (opens === undefined) throw new OperatorError(`${name} is not a backup of a hub: name another file.`)
    if (!opens)
      throw new OperatorError(
        `${name} is sealed under another master key than the one in force: restore it into an empty folder that has its key as master.key (a rotation keeps the old key as master.key.previous), or with its key in HUB_MASTER_KEY.`,
      )
    return holdingsOf(sqlite)
  } catch (error) {
    throw error instanceof OperatorError ? error : damaged(name, error)
  } finally {
    sqlite.close()
  }
}

/** Counts the payments in a database. */
export function holdingsOf(sqlite: Database.Database): Holdings {
  if (!hasTable(sqlite, 'payments')) return { payments: 0, newestAt: undefined }
  const row = sqlite
    .prepare<[], { payments: number; newestAt: number | null }>(
      'SELECT count(*) AS payments, max(received_at) AS newestAt FROM payments',
    )
    .get()
  return { payments: row?.payments ?? 0, newestAt: row?.newestAt ?? undefined }
}

/** Flushes a file to the disk, so that it survives a power cut. */
export function flushFile(file: string) {
  const opened = openSync(file, 'r+')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

function open(file: string, name: string): Database.Database {
  try {
    return new Database(file, { readonly: true, fileMustExist: true })
  } catch (error) {
    throw new OperatorError(
      `${name} can't be read (${reason(error)}): name a backup that this user may read.`,
    )
  }
}

function damaged(name: string, error?: unknown): OperatorError {
  const why = error instanceof Error ? ` (${error.message})` : ''
  return new OperatorError(`${name} is damaged${why}: take another backup.`)
}

/** The draft's name is not the operator's: "ENOENT: no such file or directory, open '….part'". */
export function reasonWithoutDraft(error: unknown): string {
  return reason(error).replace(/, \w+ '.*\.part'.*$/, '')
}
