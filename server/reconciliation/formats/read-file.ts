import { MOST_BYTES, type StatementFile, Unreadable } from '../model/statement.ts'
import { readCamt } from './camt.ts'
import { readCsv, type TriedRow, tryCsv } from './csv.ts'
import { isXml } from './decode.ts'
import type { BankProfile } from './profile.ts'

/** How a file is read. XML is camt.053; everything else needs a profile. */
export interface Reading {
  account: string | undefined
  profile: BankProfile | undefined
}

/** Reads a file. Throws Unreadable with the line and the reason. */
export function readFile(bytes: Uint8Array, { account, profile }: Reading): StatementFile {
  limitBytes(bytes)
  if (isXml(bytes)) return readCamt(bytes, account, profile?.zone)
  if (profile) return readCsv(bytes, profile)
  throw new Unreadable(1, 'it is not XML, and a file of CSV needs a profile')
}

/** The first rows of a CSV file, each as a profile reads it or with the reason why not. Throws Unreadable. */
export function tryFile(bytes: Uint8Array, profile: BankProfile, most: number): TriedRow[] {
  limitBytes(bytes)
  if (isXml(bytes)) throw new Unreadable(1, 'it is XML, which needs no profile')
  return tryCsv(bytes, profile, most)
}

function limitBytes({ length }: Uint8Array) {
  if (length > MOST_BYTES) throw new Unreadable(0, `it is larger than ${MOST_BYTES / 1024 / 1024} MB`)
}
