import { rotateSecret } from '../partners/manage-partners.ts'
import { done, type Outcome, refused, when } from './output.ts'
import type { Workspace } from './workspace.ts'

export async function partnerRotateSecret(
  { storage, clock, ids }: Workspace,
  clientId: string,
): Promise<Outcome> {
  const rotated = await rotateSecret({ partners: storage.partners, clock, ids }, clientId)
  if (!rotated)
    return refused({ clientId, rotated: false }, `There is no partner ${clientId}: see hub partner list.`)
  const { clientSecret, oldExpiresAt } = rotated
  return done(
    { clientId, clientSecret, oldSecretExpiresAt: new Date(oldExpiresAt).toISOString() },
    `Partner ${clientId} has a new secret, shown only now. The old one still works until ${when(oldExpiresAt)}.\n  client secret  ${clientSecret}`,
  )
}
