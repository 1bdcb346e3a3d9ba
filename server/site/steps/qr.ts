import { html } from '../parts/html.ts'
import type { Step } from './step.ts'

/** The body of two responses: of this step and of the callback. */
export const BILL = {
  id: 'f3b0a9d2-5d0c-4c66-9f3c-2e6f1b8d7a90',
  bankName: '',
  bankCode: '{{BANK_CODE}}',
  bankAccountNumber: '0123456789',
  bankAccountName: 'NGUYEN VAN A',
  qrcode: '00020101021238540010A0000007270124000697042201100123456789…',
  storeId: '{{STORE_ID}}',
  billNumber: '{{BILL_NUMBER}}',
}

export const qr: Step = {
  name: 'qr',
  sample: 'show_qr',
  title: 'Show a QR code for one bill',
  path: '/api/v1/partner/payment/dynamic-qr',
  text: html`<p>The speaker’s screen shows a QR code with this bill’s number and amount, for fifteen minutes or until it is paid. Bill number and store identify the bill: the same request again gets the same record, and another amount changes an unpaid bill. Without <code>qrcode</code>, the hub builds the code from the store’s static QR.</p>`,
  status: 201,
  answer: BILL,
  refusals: {
    BODY_STORE_NOT_FOUND: html`<code>storeId</code> is <code>store.id</code> of step 3, not the terminal id.`,
    VALIDATION_FAILED: html`<code>transactionAmount</code> is a JSON string of digits without a leading zero. If <code>details</code> names <code>qrcode</code>, the store has no valid static QR: send a code, or give the store a static QR.`,
    BILL_ALREADY_PAID: 'This bill is already paid. Use another bill number.',
    QR_AMOUNT_MISMATCH: html`The <code>qrcode</code> that you sent contains another amount than <code>transactionAmount</code>.`,
  },
  next: html`The customer scans and pays. Then the payment processor calls.`,
}
