import type { CommandBody } from '../../../../server/delivery/session/command.ts'
import type { Sending } from '../../../../server/delivery/session/ports.ts'
import { dialectOf, SHIPPED } from '../../../../server/dialects/boxes.ts'
import { wireIdOf } from '../../../../server/dialects/profile/names.ts'
import { type Profile, profileSchema } from '../../../../server/dialects/profile/schema.ts'

export const NOW = 1_764_288_000_000
export const ID = '01JD0000000000000000000001'

/** A shipped profile, changed. */
export function profileOf(name: string, change: object = {}): Profile {
  return profileSchema.parse({ ...SHIPPED.get(name), ...change })
}

export function codecOf(profile: Profile, serial = 'SN-0001') {
  return dialectOf(profile).codec({ serial, wireId: wireIdOf(profile, serial), profile, now: () => NOW })
}

export function sending(body: CommandBody, more: Partial<Sending> = {}): Sending {
  return { id: ID, commandNumber: 7, body, expiresAt: NOW + 120_000, ...more }
}

export function announce(amount: string, lang: 'vi' | 'en' = 'vi', paidBill = ''): CommandBody {
  return { kind: 'announce', amount, lang, paidBill }
}

export const textOf = (payload: Uint8Array) => Buffer.from(payload).toString()
