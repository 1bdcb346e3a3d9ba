// Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
import { randomUUID } from 'node:crypto'
import { post } from './hub.mjs'

// A retry sends the same body under the same key, and shows no second code.
await post(
  '/device/send-verification',
  { deviceSerial: '{{SERIAL}}' },
  { token: '{{TOKEN}}', key: randomUUID() },
)
