import type { Edit } from './edit.ts'

/** Ids of cases by verdict, from one run of the kit. */
export interface Findings {
  connected: boolean
  fail: string[]
  warn: string[]
  error: string[]
}

/** What became of a speaker with one edit. */
export type Outcome =
  /** Cases failed or warned. */
  | { how: 'caught'; fail: string[]; warn: string[] }
  /** It never connected, or it was lost in the middle of the run. */
  | { how: 'gone' }
  /** It threw an error. */
  | { how: 'crashed'; error: string }
  /** It used more processor time than any run needs. */
  | { how: 'hung' }
  | { how: 'escaped' }
  /** The edit leaves no program: a mistake of a rule. */
  | { how: 'no program'; error: string }

export interface Tried {
  edit: Edit
  outcome: Outcome
}

export function outcomeOf({ connected, fail, warn, error }: Findings): Outcome {
  if (fail.length > 0 || warn.length > 0) return { how: 'caught', fail, warn }
  return !connected || error.length > 0 ? { how: 'gone' } : { how: 'escaped' }
}

export function isCaught({ outcome: { how } }: Tried): boolean {
  return how !== 'escaped' && how !== 'no program'
}
