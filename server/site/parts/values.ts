import type { Say, Words } from '../../platform/language/words.ts'
import { type Html, html } from './html.ts'

/** A reader's value, which samples and answers contain as {{NAME}}. */
interface Value {
  name: string
  label: Words
  /** The initial value in samples; without it they show YOUR_NAME. */
  initial?: string
  /** Whether half of the panel's width suffices. */
  short?: true
}

const VALUES: readonly Value[] = [
  { name: 'HUB', label: { en: 'Hub address', vi: 'Địa chỉ hub' }, initial: 'http://127.0.0.1:8080' },
  { name: 'CLIENT_ID', label: { en: 'Client id', vi: 'Mã client (client id)' } },
  { name: 'CLIENT_SECRET', label: { en: 'Client secret', vi: 'Khoá bí mật (client secret)' } },
  { name: 'TOKEN', label: { en: 'Access token', vi: 'Mã truy cập (access token)' } },
  { name: 'SERIAL', label: { en: 'Serial', vi: 'Số serial' }, initial: 'SHOP-0001', short: true },
  { name: 'CODE', label: { en: 'Code', vi: 'Mã xác minh' }, short: true },
  { name: 'STORE_ID', label: { en: 'Store id', vi: 'Mã cửa hàng' } },
  { name: 'TERMINAL_ID', label: { en: 'Terminal id', vi: 'Mã quầy' }, initial: 'TILL-01', short: true },
  { name: 'BANK_CODE', label: { en: 'Bank', vi: 'Ngân hàng' }, initial: 'MB', short: true },
  { name: 'BILL_NUMBER', label: { en: 'Bill number', vi: 'Số hoá đơn' }, initial: 'BILL-0001', short: true },
  { name: 'AMOUNT', label: { en: 'Amount', vi: 'Số tiền' }, initial: '50000', short: true },
  { name: 'FT_CODE', label: { en: 'Transaction code', vi: 'Mã giao dịch' }, initial: 'FT0001' },
  { name: 'WEBHOOK_SECRET', label: { en: 'Webhook secret', vi: 'Khoá bí mật của webhook' } },
  { name: 'WEBHOOK_ID', label: { en: 'Webhook id', vi: 'Mã webhook' } },
  { name: 'STATEMENT_ID', label: { en: 'Statement id', vi: 'Mã sao kê' } },
]

export const INITIAL_VALUES: ReadonlyMap<string, string> = new Map(
  VALUES.flatMap(({ name, initial }) => (initial === undefined ? [] : [[name, initial]])),
)

/** The panel for the reader's values, which fill all samples of the page. */
export function valuesPanel(say: Say): Html {
  return html`<aside class="values" id="values" aria-labelledby="values-title">
  <h2 id="values-title">${say({ en: 'Your values', vi: 'Giá trị của bạn' })}</h2>
  <p>${say({
    en: 'They fill every sample as you type. They stay in this page: nothing is sent or stored.',
    vi: 'Gõ vào đây, mọi mẫu sẽ được điền theo. Các giá trị chỉ ở trong trang này: không gửi đi, không lưu lại.',
  })}</p>
  <div class="values-fields">${VALUES.map((value) => field(say, value))}</div>
  <p class="values-warning" id="values-warning" role="status"></p>
</aside>`
}

function field(say: Say, { name, label, initial, short }: Value): Html {
  const id = `value-${name.toLowerCase().replaceAll('_', '-')}`
  const placeholder = initial === undefined ? say({ en: 'not yet', vi: 'chưa có' }) : ''
  return html`<div class="field${short ? ' short' : ''}">
    <label for="${id}">${say(label)}</label>
    <input id="${id}" data-fills="${name}" value="${initial ?? ''}" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${placeholder}">
  </div>`
}
