import type { ErrorName } from '../../platform/errors.ts'
import type { RequestName } from '../parts/code.ts'
import { type Html, html } from '../parts/html.ts'

/** Errors that readers often get, and what to do about each. */
export type Refusals = Partial<Record<ErrorName, Html | string>>

/** One POST request of the quickstart. */
export interface Step {
  /** Its anchor. */
  name: string
  sample: RequestName
  title: string
  path: string
  /** Its effect in two or three sentences. */
  text: Html
  status: 200 | 201
  /** Strings may contain {{PLACEHOLDERS}}. */
  answer: object
  refusals: Refusals
  /** What the next step needs of this one. */
  next: Html
}

const token: Step = {
  name: 'token',
  sample: 'get_token',
  title: 'Get an access token',
  path: '/api/v1/partner/auth/token',
  text: html`<p>Exchange your client id and client secret for an access token. It identifies you in every other request for an hour; the refresh token gets the next one without the secret. Do this on your server: the secret also signs payments, so keep it out of apps and browsers.</p>`,
  status: 200,
  answer: {
    accessToken: '{{TOKEN}}',
    tokenType: 'Bearer',
    expiresIn: 3600,
    refreshToken: 'sbr_pXq0Zr3kUu0mJ1l0rJt2uYw4C8bC5nN7d6hVq9sKf2E',
    refreshExpiresIn: 2592000,
  },
  refusals: {
    INVALID_CLIENT: html`Compare both with the output of <code>partner create</code>. The secret is shown once; if it is lost, <code>npm run -s hub -- partner rotate-secret CLIENT_ID</code> creates a new one.`,
    TOO_MANY_LOGIN_FAILURES: html`Ten wrong secrets came within five minutes. The right one is never refused because of wrong ones, so this one is wrong, too: compare it.`,
    UNSUPPORTED_MEDIA_TYPE: html`Send <code>Content-Type: application/json</code>. By default, curl sends a form.`,
  },
  next: html`Copy <code>accessToken</code> into <a href="#values">your values</a>.`,
}

const code: Step = {
  name: 'code',
  sample: 'show_code',
  title: 'Show a code on the speaker',
  path: '/api/v1/partner/device/send-verification',
  text: html`<p>Six digits appear on the speaker’s screen. Reading them proves that you stand in front of the speaker, and that it is online with a working screen. So the code is only on the screen, in no response, log or list. It is valid for five minutes, and a speaker shows at most three codes in fifteen minutes.</p>`,
  status: 200,
  answer: {
    deviceSerial: '{{SERIAL}}',
    expiresIn: 300,
    expiresAt: '2026-01-15T03:15:00.000Z',
    codesRemaining: 2,
    windowResetsAt: '2026-01-15T03:25:00.000Z',
  },
  refusals: {
    INVALID_TOKEN: html`The header is <code>Authorization: Bearer</code>, a space, and the access token, not the refresh token. An expired one is <code>40102</code>: get a new one.`,
    BODY_DEVICE_NOT_FOUND: html`No speaker has this serial, or it is registered to another partner. <code>npm run -s hub -- device list</code> shows those of this hub.`,
    DEVICE_OFFLINE: 'Switch the speaker on and try again. Nothing was counted.',
    VERIFICATION_QUOTA: html`Three codes were shown within fifteen minutes. Wait until <code>windowResetsAt</code>; <code>Retry-After</code> has the seconds.`,
    DEVICE_NOT_RESPONDING:
      'The speaker is connected, but did not confirm within five seconds. Try again. Nothing was counted.',
  },
  next: html`Read the code off the speaker and type it into <a href="#values">your values</a>. You have five minutes.`,
}

const store = {
  id: '{{STORE_ID}}',
  storeName: 'Quán Cà Phê Sáng',
  ownerName: '',
  identityNumber: '',
  bankName: '',
  bankCode: '{{BANK_CODE}}',
  bankAccountNumber: '0123456789',
  bankAccountName: 'NGUYEN VAN A',
  phoneNumber: '0901234567',
  terminalID: '{{TERMINAL_ID}}',
  terminalName: '',
  staticQRCode: '00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7',
  totalTransaction: '0',
  totalAmount: '0',
}

export const register: Step = {
  name: 'register',
  sample: 'register',
  title: 'Register the speaker',
  path: '/api/v1/partner/device/register',
  text: html`<p>The code makes the speaker yours and links it to a store; the shop owner and the store are created if they do not exist. <code>terminalID</code> is your id of the till. Payment callbacks contain it, and the hub finds the store and its speakers by it. <code>staticQRCode</code> is the VietQR on the counter; dynamic codes are built from it.</p>`,
  status: 201,
  answer: {
    userId: '6a1f4c9e-3d52-4f0a-9a53-0f6f5a0b7c11',
    store,
    device: {
      id: '0c8b2f64-7f0e-4a57-8a6e-52d0f1b9e3a4',
      serial: '{{SERIAL}}',
      deviceName: '{{SERIAL}}',
      active: true,
      connected: true,
      partnerClientId: '{{CLIENT_ID}}',
      rmCode: '',
      stores: [store],
    },
  },
  refusals: {
    VERIFICATION_CODE_INVALID:
      'One wrong guess ends the code, so that nobody can try all codes. Show a new one (step 2).',
    VERIFICATION_CODE_EXPIRED: 'More than five minutes have passed. Show a new one (step 2).',
    VERIFICATION_CODE_NOT_FOUND:
      'The code was used, or a newer one has replaced it. Type the one on the screen.',
    VALIDATION_FAILED: html`<code>details</code> names every wrong field and the reason. Phone numbers, codes and amounts are JSON strings: <code>"0901234567"</code>.`,
  },
  next: html`Copy <code>store.id</code> into <a href="#values">your values</a>.`,
}

/** The body of two responses: of this step and of the callback. */
const BILL = {
  id: 'f3b0a9d2-5d0c-4c66-9f3c-2e6f1b8d7a90',
  bankName: '',
  bankCode: '{{BANK_CODE}}',
  bankAccountNumber: '0123456789',
  bankAccountName: 'NGUYEN VAN A',
  qrcode: '00020101021238540010A0000007270124000697042201100123456789…',
  storeId: '{{STORE_ID}}',
  billNumber: '{{BILL_NUMBER}}',
}

const qr: Step = {
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

/** The fields of the sample payment that are not values of the reader. */
export const SAMPLE_PAYMENT = {
  notice: 'Bàn 5: cà phê & bánh mì *mang về*',
  payDate: '2026-01-15T10:15:30+07:00',
  traceTransfer: '104233',
}

const callback: Step = {
  name: 'callback',
  sample: 'report_payment',
  title: 'Report the payment',
  path: '/api/v1/partner/payment/callback',
  text: html`<p>The processor reports that money has arrived, and signs the report with the client secret. When the hub answers 200, the payment and its announcement are on disk, and the speaker says: “Đã nhận năm mươi nghìn đồng”. No answer, or another status? The table <a href="#after-callback">After a callback</a> says what to do. A callback that the hub already has is harmless: it gets the first response, with the header <code>Idempotent-Replayed: true</code>, and is neither spoken nor counted twice.</p>`,
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

/** The requests from nothing to the first announced payment, in order. */
export const STEPS = [token, code, register, qr, callback] as const
