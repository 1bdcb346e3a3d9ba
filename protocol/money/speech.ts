/** One language: its clips, their order in an amount, and their text on a screen. */
export interface Speech {
  /** Every clip of the language with its text. */
  words: ReadonlyMap<string, string>
  /** The clip before the amount: "received". */
  opening: string
  /** The clip after the amount: the currency. */
  closing: string
  /** The clips of a whole number: 1 to 13 decimal digits without a leading zero. */
  number(digits: string): string[]
  /** The separator between the texts of two neighbouring clips. */
  joint(left: string, right: string): ' ' | '-'
}

/** Splits digits into groups of three from the right. Only the first group may be shorter. */
export function threes(digits: string): string[] {
  const head = digits.length % 3
  return [digits.slice(0, head), ...(digits.slice(head).match(/.{3}/g) ?? [])].filter((group) => group !== '')
}
