import { html } from '../parts/html.ts'
import { BILL } from './qr.ts'
import type { Step } from './step.ts'

/** The fields of the sample payment that are not values of the reader. */
export const SAMPLE_PAYMENT = {
  notice: 'Bàn 5: cà phê & bánh mì *mang về*',
  payDate: '2026-01-15T10:15:30+07:00',
  traceTransfer: '104233',
}

export const callback: Step = {
  name: 'callback',
  sample: 'report_payment',
  title: 'Report the payment',
  path: '/api/v1/partner/payment/callback',
  text: html`<p>The processor reports that money has arrived, and signs the report with the client secret. When the hub answers 200, the payment and its announcement are on disk, and the speaker says: “Đã nhận năm mươi nghìn đồng”. No answer, or a 5xx? Send the same callback again, as often as you like: it gets the first response, with the header <code>Idempotent-Replayed: true</code>, and is neither spoken nor counted twice.</p>`,
  status: 200,
  answer: BILL,
  refusals: {
    TOKEN_EXPIRED: html`Get a new token, then send the same callback again. Do the same for <code>40101</code>, an invalid token. The payment is not recorded yet.`,
    CHECKSUM_MISMATCH: html`<code>details</code> names the mistake if it is a usual one. The <a href="#checksum">calculator below</a> shows where your string differs.`,
    TRANSACTION_CONFLICT: html`This <code>ftCode</code> was reported with other content: another amount, bill or date. A retry must send the same body; another payment needs another transaction code.`,
    BODY_STORE_NOT_FOUND: html`No store of yours has this <code>terminalID</code>. Use exactly the one of step 3.`,
    VALIDATION_FAILED: html`<code>details</code> names the fields. An amount must be a JSON string: <code>"50000"</code>, not <code>50000</code>.`,
  },
  next: html`The speaker has said it. Now get the proof.`,
}
