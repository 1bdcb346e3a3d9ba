const PLAIN = /^\d{1,15}$/
const GROUPED = /^\d{1,3}([. ,]\d{3}){1,4}$/
const CURRENCY = /\s*(đ|₫|vnđ|vnd)$/i
const UUID_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** An amount as people write it, in đồng: `216.000`, `216,000 đ`, `216000`. Undefined when it is none. */
export function readAmount(text: string): number | undefined {
  const number = text.trim().replace(CURRENCY, '')
  if (!PLAIN.test(number) && !GROUPED.test(number)) return undefined
  return Number(number.replaceAll(/\D/g, ''))
}

/** Whether an amount is written so that it can be nothing else: with groups, or with a currency. */
export function isSurelyAmount(text: string): boolean {
  return readAmount(text) !== undefined && !PLAIN.test(text.trim())
}

/** When an id was made: it is a UUID of version 7. Undefined for another text. */
export function timeOfId(id: string): number | undefined {
  const [, high = '', low = ''] = UUID_7.exec(id) ?? []
  return high === '' ? undefined : Number.parseInt(high + low, 16)
}
