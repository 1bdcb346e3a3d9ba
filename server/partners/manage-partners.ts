import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { PartnerRecords } from './ports.ts'

/** After a rotation the secret before lives this long, so that a partner can change over without a gap. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60_000

interface PartnerDeps {
  partners: PartnerRecords
  clock: Clock
  ids: Ids
}

/** Makes a partner. The secret is returned this once. */
export async function createPartner({ partners, clock, ids }: PartnerDeps, name: string) {
  const clientId = ids.clientId()
  const clientSecret = ids.clientSecret()
  await partners.create({ clientId, name, disabledAt: undefined, createdAt: clock.now() }, clientSecret)
  return { clientId, clientSecret }
}

/** Gives a partner a new secret; undefined when there is no such partner. */
export async function rotateSecret({ partners, clock, ids }: PartnerDeps, clientId: string) {
  const clientSecret = ids.clientSecret()
  const at = clock.now()
  const oldExpiresAt = at + SECRET_OVERLAP_MS
  const rotated = await partners.rotateSecret(clientId, clientSecret, at, oldExpiresAt)
  return rotated ? { clientId, clientSecret, oldExpiresAt } : undefined
}
