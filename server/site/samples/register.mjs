// Registers the speaker with the code on its screen, and the shop it stands in. The answer has the store's id.
import { randomUUID } from 'node:crypto'

const response = await fetch('{{HUB}}/api/v1/partner/device/register', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer {{TOKEN}}',
    'Content-Type': 'application/json',
    // A retry sends the same bytes under the same key, and gets the first answer.
    'Idempotency-Key': randomUUID(),
  },
  body: JSON.stringify({
    deviceSerial: '{{SERIAL}}',
    verificationCode: '{{CODE}}',
    phoneNumber: '0901234567',
    storeName: 'Quán Cà Phê Sáng',
    terminalID: '{{TERMINAL_ID}}',
    bankCode: '{{BANK_CODE}}',
    bankAccountNumber: '0123456789',
    bankAccountName: 'NGUYEN VAN A',
    staticQRCode:
      '00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7',
  }),
  signal: AbortSignal.timeout(10_000),
})
const answer = await response.text()
if (response.ok) {
  console.log(answer)
} else {
  console.error(answer)
  process.exitCode = 1
}
