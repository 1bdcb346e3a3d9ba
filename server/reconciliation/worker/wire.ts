import type { Matching } from './matching.ts'

/** A call of a method of a Matching, in another thread. */
export type Call = {
  [M in Exclude<keyof Matching, 'end'>]: { method: M; args: Parameters<Matching[M]> }
}[Exclude<keyof Matching, 'end'>]

export type Reply =
  | { value: unknown }
  | { unreadable: { line: number; reason: string } }
  | { failure: string }
