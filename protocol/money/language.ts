/** The languages with a clip pack. */
export const LANGUAGES = ['vi', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

/** One language: its clips, their order in an amount, and their text on a screen. */
export interface Speech {
  /** Every clip of the language with its text. */
  words: ReadonlyMap<string, string>
  /** The clip before the amount: "received". */
  opening: string
  /** The clip after the amount: the currency. */
  closing: string
  /** The clips of a whole number. Its digits come in groups of three, the highest first; only the first may be shorter. */
  number(groups: readonly string[]): string[]
  /** The separator between the texts of two neighbouring clips. */
  joint(left: string, right: string): ' ' | '-'
}
