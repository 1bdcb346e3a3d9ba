import { FINAL_STAGE } from '../../../protocol/messages/command.ts'
import type { SessionRules } from '../../delivery/session/ports.ts'
import { OWN_DIALECT } from '../../devices/device.ts'

export const rules: SessionRules = {
  dialect: OWN_DIALECT,
  pacing: {
    // MQTT does not resend on a live connection: these resends do (sb/1 7.3).
    resendAfterMs: [3_000, 6_000, 12_000],
    yieldAfterMs: 15_000,
    unanswered: 'yield',
    // `ttl` travels in whole seconds.
    leastTimeToLiveMs: 1_000,
    // sb/1 8.2.
    offlineAfterKeepalives: 2.5,
  },
  // sb/1 6.1.
  proof: FINAL_STAGE,
  birth: 'message',
  canShowMissed: true,
}

/**
 * Half of the counter's range: above a higher number that a device claims to have played there would be no numbers
 * left (sb/1 8.1).
 */
export const HIGHEST_CREDIBLE_NUMBER = 0x7fff_ffff

/** Seconds. A shorter keepalive drains a battery, a longer one hides a dead link (sb/1 1.3). */
export const KEEPALIVE_S = { min: 15, max: 120 } as const

/** Characters of a shop's name that fit a buffer of 512 and of 256 bytes, whatever the characters are. */
export const SHORT_NAMES = [32, 8] as const
