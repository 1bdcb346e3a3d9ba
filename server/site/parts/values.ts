import { type Html, html } from './html.ts'

/** A reader's value, which samples and answers contain as {{NAME}}. */
interface Value {
  name: string
  label: string
  /** The initial value in samples; without it they show YOUR_NAME. */
  initial?: string
  /** Whether half of the panel's width suffices. */
  short?: true
}

const VALUES: readonly Value[] = [
  { name: 'HUB', label: 'Hub address', initial: 'http://127.0.0.1:8080' },
  { name: 'CLIENT_ID', label: 'Client id' },
  { name: 'CLIENT_SECRET', label: 'Client secret' },
  { name: 'TOKEN', label: 'Access token' },
  { name: 'SERIAL', label: 'Serial', initial: 'SHOP-0001', short: true },
  { name: 'CODE', label: 'Code', short: true },
  { name: 'STORE_ID', label: 'Store id' },
  { name: 'TERMINAL_ID', label: 'Terminal id', initial: 'TILL-01', short: true },
  { name: 'BANK_CODE', label: 'Bank', initial: 'MB', short: true },
  { name: 'BILL_NUMBER', label: 'Bill number', initial: 'BILL-0001', short: true },
  { name: 'AMOUNT', label: 'Amount', initial: '50000', short: true },
  { name: 'FT_CODE', label: 'Transaction code', initial: 'FT0001' },
  { name: 'WEBHOOK_SECRET', label: 'Webhook secret' },
  { name: 'WEBHOOK_ID', label: 'Webhook id' },
]

export const INITIAL_VALUES: ReadonlyMap<string, string> = new Map(
  VALUES.flatMap(({ name, initial }) => (initial === undefined ? [] : [[name, initial]])),
)

/** The panel for the reader's values, which fill all samples of the page. */
export function valuesPanel(): Html {
  return html`<aside class="values" id="values" aria-labelledby="values-title">
  <h2 id="values-title">Your values</h2>
  <p>They fill every sample as you type. They stay in this page: nothing is sent or stored.</p>
  <div class="values-fields">${VALUES.map(field)}</div>
  <p class="values-warning" id="values-warning" role="status"></p>
</aside>`
}

function field({ name, label, initial, short }: Value): Html {
  const id = `value-${name.toLowerCase().replaceAll('_', '-')}`
  return html`<div class="field${short ? ' short' : ''}">
    <label for="${id}">${label}</label>
    <input id="${id}" data-fills="${name}" value="${initial ?? ''}" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${initial === undefined ? 'not yet' : ''}">
  </div>`
}
