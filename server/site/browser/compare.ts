import {
  CHECKSUM_FIELDS,
  canonicalString,
  type SignedField,
  type SignedFields,
} from '../../payments/canonical-string.ts'

/** A string around the place where it differs. */
export interface Cut {
  before: string
  /** One character or one %XX; empty where the string ends. */
  different: string
  after: string
}

export interface Difference {
  /** Of the first character that differs, counted from 1. */
  position: number
  /** The field of the right string that the position is in; the last one when it is behind the end. */
  field: SignedField
  right: Cut
  theirs: Cut
}

/** Where a string first differs from the one that had to be signed; undefined when they are the same. */
export function firstDifference(fields: SignedFields, theirs: string): Difference | undefined {
  const right = canonicalString(fields)
  if (right === theirs) return undefined
  let at = 0
  while (at < right.length && right[at] === theirs[at]) at += 1
  return { position: at + 1, field: fieldAt(fields, at), right: cut(right, at), theirs: cut(theirs, at) }
}

/** The field whose pair holds an index of the canonical string; a pair begins behind its &. */
function fieldAt(fields: SignedFields, index: number): SignedField {
  let end = 0
  for (const name of CHECKSUM_FIELDS) {
    end += pairOf(fields, name).length + 1
    if (index < end) return name
  }
  return 'ftCode'
}

/** One field's name=value as it stands in the canonical string. */
export function pairOf(fields: SignedFields, name: SignedField): string {
  return new URLSearchParams([[name, fields[name]]]).toString()
}

/** Cuts at the character of an index, or at the whole %XX that holds it. */
function cut(text: string, index: number): Cut {
  const inside = [2, 1, 0].find((back) => /^%[0-9a-f]{2}/i.test(text.slice(index - back)) && index >= back)
  const start = index - (inside ?? 0)
  const [character = ''] = text.slice(start)
  const different = inside === undefined ? character : text.slice(start, start + 3)
  return { before: text.slice(0, start), different, after: text.slice(start + different.length) }
}
