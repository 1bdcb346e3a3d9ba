import { sign, toBase64 } from '../shared/digest.ts'

/** Of the example: 32 bytes that nobody uses. */
const KEY = Uint8Array.from({ length: 32 }, (_, index) => 7 * index + 1)

/** A delivery of this moment, as raw HTTP, and its secret. `now`: milliseconds. */
export function exampleDelivery(now: number): { text: string; secret: string } {
  const at = new Date(now).toISOString()
  const id = 'evt_01KB7Q2M9T4XW8R5D0C3HJ6ZFE'
  const body = JSON.stringify({
    id,
    seq: '1763870400000000',
    type: 'bill.paid',
    timestamp: at,
    data: {
      storeId: '6a1f4c9e-3d52-4f0a-9a53-0f6f5a0b7c11',
      billNumber: 'BILL-0001',
      transactionAmount: '50000',
      paymentId: 'b5b6a7de-0a5f-4a35-8a25-7c1b5f0c9d31',
    },
  })
  const timestamp = String(Math.floor(now / 1_000))
  const signature = toBase64(sign(KEY, `${id}.${timestamp}.${body}`))
  const lines = [
    'POST /webhook HTTP/1.1',
    'Host: partner.example',
    'Content-Type: application/json',
    `webhook-id: ${id}`,
    `webhook-timestamp: ${timestamp}`,
    `webhook-signature: v1,${signature}`,
    '',
    body,
  ]
  return { text: lines.join('\n'), secret: `whsec_${toBase64(KEY)}` }
}
