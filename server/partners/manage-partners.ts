import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Actor } from '../security/actor.ts'
import type { PartnerRecords } from './ports.ts'

/** How long the old secret lives after a rotation, so that a partner can change over without downtime. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60_000

interface PartnerDeps {
  by: Actor
  partners: PartnerRecords
  clock: Clock
  ids: Ids
}

/** Creates a partner. Its secret cannot be read again later. */
export async function createPartner({ by, partners, clock, ids }: PartnerDeps, name: string) {
  const clientId = ids.clientId()
  const clientSecret = ids.clientSecret()
  const partner = { clientId, name, disabledAt: undefined, createdAt: clock.now() }
  await partners.create(by, partner, clientSecret)
  return { clientId, clientSecret }
}

/** Gives a partner a new secret; undefined when the partner does not exist. */
export async function rotateSecret({ by, partners, clock, ids }: PartnerDeps, clientId: string) {
  const clientSecret = ids.clientSecret()
  const at = clock.now()
  const oldExpiresAt = at + SECRET_OVERLAP_MS
  const rotated = await partners.rotateSecret(by, clientId, clientSecret, at, oldExpiresAt)
  return rotated ? { clientId, clientSecret, oldExpiresAt } : undefined
}
