import type { SessionRules } from '../../delivery/session/ports.ts'
import type { Abilities, Born, BoxMemory, SoundProof } from '../../devices/device.ts'
import { identityOf } from './login.ts'
import type { Profile } from './schema.ts'

/**
 * The rules that all boxes share.
 *
 * Why a reset and no resend: a box without a memory for ids says a repeat again. After a reset nothing of the old
 * connection can arrive late, so the announcement may be sent once more.
 */
export function boxRules(
  { dialect }: Pick<Profile, 'dialect'>,
  announce: 'delivered' | 'played',
  own: Omit<SessionRules, 'dialect' | 'proof' | 'pacing'>,
): SessionRules {
  const screens = { profile: 'shown', code: 'shown', qr: 'shown', clear: 'shown', missed: 'shown' } as const
  const others = {
    welcome: 'shown',
    settings: 'shown',
    identify: 'shown',
    rekey: 'shown',
    update: 'shown',
  } as const
  return {
    dialect,
    proof: { ...screens, ...others, announce },
    pacing: {
      resendAfterMs: [],
      yieldAfterMs: 10_000,
      leastTimeToLiveMs: 1_000,
      offlineAfterKeepalives: 2.5,
      unanswered: 'reset',
    },
    ...own,
  }
}

/** What every box of a profile can do, with what is the dialect's own. */
export function boxAbilities(
  profile: Profile,
  own: { proof: SoundProof } & Pick<Abilities, 'screen' | 'qr' | 'missed' | 'keypad'>,
): Abilities {
  const { dialect, name, pairing, languages, maxAmount } = profile
  return {
    dialect,
    profile: name,
    ...own,
    identity: identityOf(profile),
    pairing,
    settings: [],
    languages,
    maxAmount,
  }
}

/** What the hub knows of a box that says nothing of itself. */
export function bornOf({ name, languages, bufferBytes }: Profile, box: BoxMemory): Born {
  return { firmware: '', model: name, languages, bufferBytes, played: 0, settingsVersion: 0, caps: [], box }
}
