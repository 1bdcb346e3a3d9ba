import { html } from '../parts/html.ts'
import type { Step } from './step.ts'

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
