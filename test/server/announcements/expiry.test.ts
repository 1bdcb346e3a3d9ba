import { expect, it } from 'vitest'
import { ACK_GRACE_MS, dueLimits } from '../../../server/announcements/expiry.ts'

const NOW = 1_000_000

it.each([
  {
    what: 'at once when it was never sent, a minute later when it was',
    ackedBy: NOW,
    sent: NOW - ACK_GRACE_MS,
  },
  {
    what: 'later when acks are still due for an earlier time',
    ackedBy: NOW - 5,
    sent: NOW - 5 - ACK_GRACE_MS,
  },
  { what: 'never before its time', ackedBy: NOW + 10 * ACK_GRACE_MS, sent: NOW },
])('an announcement ends $what', ({ ackedBy, sent }) => {
  expect(dueLimits(NOW, ackedBy)).toEqual({ unsent: NOW, sent })
})
