/** The marks in a bank's amounts. */
export interface Marks {
  decimal: '.' | ','
  /** Empty: none. */
  thousand: '' | '.' | ',' | ' '
}

/** More is no amount of a statement: sums stay exact numbers. */
const MOST_DIGITS = 13

/**
 * Makes a reader of amounts of whole đồng. Marks must be where they belong, so that `1.23` is no hundred and twenty-three;
 * decimals must be zeros. Undefined for everything else.
 */
export function amountReader({ decimal, thousand }: Marks): (text: string) => number | undefined {
  const group =
    thousand === '' ? '' : `|\\d{1,3}(?:${thousand === ' ' ? '[ \\u00a0\\u202f]' : `\\${thousand}`}\\d{3})+`
  const pattern = new RegExp(`^([+-]?)(\\d+${group})(?:\\${decimal}0*)?(-?)$`)
  return (text) => {
    const [, before, digits, behind] = pattern.exec(text.replace(/(VND|VNĐ|đ|₫)\s*$/i, '').trim()) ?? []
    if (digits === undefined || (before !== '' && behind !== '')) return undefined
    const plain = digits.replace(/\D/g, '')
    if (plain.replace(/^0+/, '').length > MOST_DIGITS) return undefined
    const amount = Number(plain)
    return before === '-' || behind === '-' ? 0 - amount : amount
  }
}
