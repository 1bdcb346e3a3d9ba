import type { Birth } from '../../messages/birth.ts'
import type { Case, Need } from '../case/schema.ts'
import type { Profile } from '../case/profile.ts'
import type { People } from './operator.ts'

const WHY_MISSING: Record<Need, string> = {
  speaker: 'it has no speaker',
  queue: 'it takes one announcement at a time, says its profile',
  screen: 'it has no screen',
  'no-screen': 'it has a screen',
  qr: 'it shows no QR',
  vi: 'it has no Vietnamese clips',
  en: 'it has no English clips',
  'power-cycle': 'nobody can cut its power: give --power-cycle COMMAND, or run with a person',
  goodbye: 'nobody can have it leave cleanly: give --goodbye COMMAND, or run with a person',
  'hub-clock': 'it has a clock of its own: `clock: hub` in the profile says otherwise',
  'own-clock': 'it has no clock of its own: `clock: own` in the profile says otherwise',
}

/** Why a device can't be put to a case; undefined when it can. */
export function whyNot(
  { needs }: Case,
  profile: Profile,
  birth: Birth | undefined,
  people: People,
): string | undefined {
  const had = haves(profile, birth, people)
  const missing = needs.find((need) => !had.has(need))
  return missing && WHY_MISSING[missing]
}

/** What the profile says, and where it is silent, the birth. */
function haves(profile: Profile, birth: Birth | undefined, people: People): Set<string> {
  const clock = profile.clock ?? (birth?.at ? 'own' : 'hub')
  const caps = profile.caps ?? birth?.caps ?? []
  return new Set([
    ...caps,
    ...(caps.includes('screen') ? [] : ['no-screen']),
    ...(profile.lang ?? birth?.lang ?? []),
    ...(profile.queue === false ? [] : ['queue']),
    ...(people.powerCycle ? ['power-cycle'] : []),
    ...(people.goodbye ? ['goodbye'] : []),
    clock === 'hub' ? 'hub-clock' : 'own-clock',
  ])
}
