import { MOST_BYTES, type StatementFile, Unreadable } from '../model/statement.ts'
import { readCamt } from './camt.ts'
import { readCsv } from './csv.ts'
import { isXml } from './decode.ts'
import type { BankProfile } from './profile.ts'

/** How a file is read. XML is camt.053; everything else needs a profile. */
export interface Reading {
  account: string | undefined
  profile: BankProfile | undefined
}

/** Reads a file. Throws Unreadable with the line and the reason. */
export function readFile(bytes: Uint8Array, { account, profile }: Reading): StatementFile {
  if (bytes.length > MOST_BYTES) throw new Unreadable(0, `it is larger than ${MOST_BYTES / 1024 / 1024} MB`)
  if (isXml(bytes)) return readCamt(bytes, account, profile?.zone)
  if (profile) return readCsv(bytes, profile)
  throw new Unreadable(1, 'it is not XML, and a file of CSV needs a profile')
}
