/** What one language brings: its clips, the order in which they say an amount, and how they read on a screen. */
export interface Speech {
  /** Every clip of the language with the text that it says. */
  words: ReadonlyMap<string, string>
  /** The clip before the amount: money has been received. */
  opening: string
  /** The clip after the amount: the currency. */
  closing: string
  /** The clips of a whole number, given as decimal digits without a leading zero: 1 to 13 of them. */
  number(digits: string): string[]
  /** What stands between the words of two neighbouring clips on a screen. */
  joint(left: string, right: string): ' ' | '-'
}

/** Digits in groups of three, counted from the right; only the first group may be shorter. */
export function threes(digits: string): string[] {
  const head = digits.length % 3
  return [digits.slice(0, head), ...(digits.slice(head).match(/.{3}/g) ?? [])].filter((group) => group !== '')
}
