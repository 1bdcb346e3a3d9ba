import type { Edit } from './edit.ts'

/** Edits of one kind. Whatever is given has to match. */
export interface Kind {
  /** The file, and the function, method or constant in it. */
  place?: RegExp
  /** What the edit takes away and what it puts in its place: `n <= played → n < played`. */
  change?: RegExp
  /** The code around it. */
  code?: RegExp
  why: string
}

export function fits({ place, change, code }: Kind, edit: Edit): boolean {
  return (
    (place?.test(`${edit.file} ${edit.place}:`) ?? true) &&
    (change?.test(`${edit.was} → ${edit.text}`) ?? true) &&
    (code?.test(edit.before) ?? true)
  )
}
