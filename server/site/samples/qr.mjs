// Shows a payment QR for one bill on the speaker's screen; the hub builds it from the store's static QR.
import { randomUUID } from 'node:crypto'

const response = await fetch('{{HUB}}/api/v1/partner/payment/dynamic-qr', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer {{TOKEN}}',
    'Content-Type': 'application/json',
    // A retry sends the same bytes under the same key, and gets the first answer.
    'Idempotency-Key': randomUUID(),
  },
  body: JSON.stringify({
    storeId: '{{STORE_ID}}',
    billNumber: '{{BILL_NUMBER}}',
    transactionAmount: '{{AMOUNT}}',
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
