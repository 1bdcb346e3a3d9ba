import { rotateSecret } from '../../partners/manage-partners.ts'
import { isoInstant } from '../../platform/clock.ts'
import { done, type Outcome, refused, when } from './output.ts'
import type { Workspace } from './workspace.ts'

export async function partnerRotateSecret(
  { storage, clock, ids }: Pick<Workspace, 'storage' | 'clock' | 'ids'>,
  clientId: string,
): Promise<Outcome> {
  const before = await storage.partners.liveSecrets(clientId, clock.now())
  const rotated = await rotateSecret({ partners: storage.partners, clock, ids }, clientId)
  if (!rotated)
    return refused({ clientId, rotated: false }, `There is no partner ${clientId}: see hub partner list.`)
  const { clientSecret, oldExpiresAt } = rotated
  // Two secrets live at most, so that one which was still being phased out has ended now.
  const olderSecretEnded = before.length > 1
  const text = [
    `Partner ${clientId} has a new secret, shown only now. The old one still works until ${when(oldExpiresAt)}.`,
    ...(olderSecretEnded
      ? [
          'The one before that had been left to work for a while, and has ended now: at most two work at a time.',
        ]
      : []),
    `  client secret  ${clientSecret}`,
  ]
  return done(
    { clientId, clientSecret, oldSecretExpiresAt: isoInstant(oldExpiresAt), olderSecretEnded },
    text.join('\n'),
  )
}
