import {
  CHECKSUM_FIELDS,
  canonicalString,
  formEncoded,
  type SignedField,
  type SignedFields,
} from '../../payments/canonical-string.ts'

/** A string, cut where it differs. */
export interface Cut {
  before: string
  /** One character or one %XX; empty where the string ends. */
  different: string
  after: string
}

interface Difference {
  /** Of the first character that differs, counted from 1. */
  position: number
  /** The field at this position of the right string; the last one when the position is after its end. */
  field: SignedField
  right: Cut
  theirs: Cut
}

/** The first difference between a string and the one to sign; undefined when they are equal. */
export function firstDifference(fields: SignedFields, theirs: string): Difference | undefined {
  const right = canonicalString(fields)
  if (right === theirs) return undefined
  let at = 0
  while (at < right.length && right[at] === theirs[at]) at += 1
  return { position: at + 1, field: fieldAt(fields, at), right: cut(right, at), theirs: cut(theirs, at) }
}

/** The field at an index of the canonical string; a pair starts after its &. */
function fieldAt(fields: SignedFields, index: number): SignedField {
  let end = 0
  for (const name of CHECKSUM_FIELDS) {
    end += `${name}=${formEncoded(fields[name])}&`.length
    if (index < end) return name
  }
  return 'ftCode'
}

/** Cuts at the character of an index, or at the whole %XX that contains it. */
function cut(text: string, index: number): Cut {
  const inside = [2, 1, 0].find((back) => /^%[0-9a-f]{2}/i.test(text.slice(index - back)) && index >= back)
  const start = index - (inside ?? 0)
  const [character = ''] = text.slice(start)
  const different = inside === undefined ? character : text.slice(start, start + 3)
  return { before: text.slice(0, start), different, after: text.slice(start + different.length) }
}
