import { html } from '../parts/html.ts'
import type { Step } from './step.ts'

/** The fields of the sample payment that are not values of the reader. */
export const SAMPLE_PAYMENT = {
  notice: 'Bàn 5: cà phê & bánh mì *mang về*',
  payDate: '2026-01-15T10:15:30+07:00',
  traceTransfer: '104233',
}

export const callback: Step = {
  name: 'callback',
  title: 'Report the payment',
  method: 'POST',
  path: '/api/v1/partner/payment/callback',
  text: html`<p>The processor reports that money has arrived, and signs the report with the client secret. When the hub answers 200, the payment and its announcement are on disk, and the speaker says: “Đã nhận năm mươi nghìn đồng”. No answer, or a 5xx? Send the same callback again, as often as you like: it gets the first response, with the header <code>Idempotent-Replayed: true</code>, and is neither spoken nor counted twice.</p>`,
  status: 200,
  answer: {
    id: 'f3b0a9d2-5d0c-4c66-9f3c-2e6f1b8d7a90',
    bankName: '',
    bankCode: '{{BANK_CODE}}',
    bankAccountNumber: '0123456789',
    bankAccountName: 'NGUYEN VAN A',
    qrcode: '00020101021238540010A0000007270124000697042201100123456789…',
    storeId: '{{STORE_ID}}',
    billNumber: '{{BILL_NUMBER}}',
  },
  refusals: [
    {
      kind: 'TOKEN_EXPIRED',
      advice: html`Get a new token, then send the same callback again. Do the same for <code>40101</code>, an invalid token. The payment is not recorded yet.`,
    },
    {
      kind: 'CHECKSUM_MISMATCH',
      advice: html`<code>details</code> names the mistake if it is a usual one. The <a href="#checksum">calculator below</a> shows where your string differs.`,
    },
    {
      kind: 'TRANSACTION_CONFLICT',
      advice: html`This <code>ftCode</code> was reported with other content: another amount, bill or date. A retry must send the same body; another payment needs another transaction code.`,
    },
    {
      kind: 'BODY_STORE_NOT_FOUND',
      advice: html`No store of yours has this <code>terminalID</code>. Use exactly the one of step 3.`,
    },
    {
      kind: 'VALIDATION_FAILED',
      advice: html`<code>details</code> names the fields. An amount must be a JSON string: <code>"50000"</code>, not <code>50000</code>.`,
    },
  ],
  next: html`The speaker has said it. Now get the proof.`,
}
