/** A part of a hub's network, by what it leads to. Each breaks apart from the others. */
export type Part = 'partners' | 'speakers' | 'database'

export interface BreakablePart {
  /** Loses all packets without a word, and closes nothing. */
  silence(): void
  /** Ends the silence. */
  mend(): void
}
