// Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
import { randomUUID } from 'node:crypto'

const response = await fetch('{{HUB}}/api/v1/partner/device/send-verification', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer {{TOKEN}}',
    'Content-Type': 'application/json',
    // A retry sends the same bytes under the same key, and shows no second code.
    'Idempotency-Key': randomUUID(),
  },
  body: JSON.stringify({ deviceSerial: '{{SERIAL}}' }),
  signal: AbortSignal.timeout(10_000),
})
const answer = await response.text()
if (response.ok) {
  console.log(answer)
} else {
  console.error(answer)
  process.exitCode = 1
}
