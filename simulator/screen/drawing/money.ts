/** An amount as Vietnamese shops write it: "50.000 ₫". `amount` is a decimal string of whole dong. */
export function formatAmount(amount: string): string {
  return `${amount.replace(/\B(?=(\d{3})+$)/g, '.')} ₫`
}
