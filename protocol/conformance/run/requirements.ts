import type { Birth } from '../../messages/birth.ts'
import type { Profile } from '../case/profile.ts'
import { type Case, NEEDS, type Need } from '../case/schema.ts'
import type { Operator } from './operator.ts'

const REASONS: Record<Need, string> = {
  speaker: 'it has no speaker',
  'no-speaker': 'it has a speaker',
  queue: 'its profile says that it takes one announcement at a time',
  'no-queue': 'announcements can wait: set `queue: false` in the profile if not',
  screen: 'it has no screen',
  'no-screen': 'it has a screen',
  qr: 'it shows no QR',
  'no-qr': 'it shows QRs',
  vi: 'it has no Vietnamese clips',
  'no-vi': 'it has Vietnamese clips',
  en: 'it has no English clips',
  'no-en': 'it has English clips',
  'power-cycle': 'nobody can cut its power: pass --power-cycle COMMAND, or run with a person at the terminal',
  goodbye:
    'nobody can make it end its session cleanly: pass --goodbye COMMAND, or run with a person at the terminal',
  'hub-clock': 'it has its own clock: set `clock: hub` in the profile if not',
  telemetry: 'its profile says that it sends none',
  rekey: 'its caps have no `rekey`',
  update: 'its caps have no `update`',
  health: 'its caps have no `health`',
  'own-clock': 'it has no clock of its own: set `clock: own` in the profile if it has one',
}

/** The reason why a case does not apply to the device, or undefined if it applies. */
export function unmetRequirement(
  { needs }: Pick<Case, 'needs'>,
  profile: Profile,
  birth: Birth | undefined,
  operator: Operator,
): string | undefined {
  const lacks = unmetNeeds(profile, birth, operator)
  return needs.map((need) => lacks.get(need)).find((reason) => reason !== undefined)
}

/** All needs that the device or its operator does not meet, each with the reason. */
export function unmetNeeds(
  profile: Profile,
  birth: Birth | undefined,
  operator: Operator,
): ReadonlyMap<Need, string> {
  const met = metNeeds(profile, birth, operator)
  return new Map(NEEDS.filter((need) => !met.has(need)).map((need) => [need, REASONS[need]]))
}

/** The needs that are met: from the profile, or from the birth where the profile is silent. */
function metNeeds(profile: Profile, birth: Birth | undefined, operator: Operator): Set<string> {
  const has: readonly string[] = [
    ...(profile.caps ?? birth?.caps ?? []),
    ...(profile.lang ?? birth?.lang ?? []),
  ]
  return new Set([
    ...has,
    ...['speaker', 'screen', 'qr', 'vi', 'en'].filter((one) => !has.includes(one)).map((one) => `no-${one}`),
    profile.queue === false ? 'no-queue' : 'queue',
    ...(profile.telemetry === false ? [] : ['telemetry']),
    ...(operator.powerCycle ? ['power-cycle'] : []),
    ...(operator.goodbye ? ['goodbye'] : []),
    hasOwnClock(profile, birth) ? 'own-clock' : 'hub-clock',
  ])
}

/** Whether the device may go by a clock of its own (11.1). */
export function hasOwnClock(profile: Profile, birth: Birth | undefined): boolean {
  return profile.clock === undefined ? Boolean(birth?.at) : profile.clock === 'own'
}
