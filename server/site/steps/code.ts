import { html } from '../parts/html.ts'
import type { Step } from './step.ts'

export const code: Step = {
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
