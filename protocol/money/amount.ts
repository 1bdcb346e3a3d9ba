/** An amount of money in the currency's unit, as a decimal string: the protocol has no floats. */
export const AMOUNT_PATTERN = /^[1-9][0-9]{0,12}$/

/** Writes an amount of whole đồng for people, as they write it in Vietnam: `216.000 đ`. */
export function formatAmount(amount: string | bigint | number): string {
  return `${String(amount).replace(/\B(?=(\d{3})+$)/g, '.')} đ`
}
