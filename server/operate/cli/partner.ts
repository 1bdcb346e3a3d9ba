import { createPartner, rotateSecret } from '../../partners/manage-partners.ts'
import { isoInstant } from '../../platform/clock.ts'
import { when } from '../for-people.ts'
import { done, type Outcome, outcome, refused, table } from './output.ts'
import type { Workspace } from './workspace.ts'

export async function partnerCreate(
  { by, storage, clock, ids }: Workspace,
  { name }: { name: string },
): Promise<Outcome> {
  const { clientId, clientSecret } = await createPartner({ by, partners: storage.partners, clock, ids }, name)
  return done(
    { clientId, clientSecret },
    `Partner "${name}" is created. The secret is shown only now.`,
    `  client id      ${clientId}`,
    `  client secret  ${clientSecret}`,
  )
}

export async function partnerList({ storage }: Workspace): Promise<Outcome> {
  const partners = await storage.partners.list()
  const json = partners.map(({ clientId, name, createdAt, disabledAt }) => ({
    clientId,
    name,
    disabled: disabledAt !== undefined,
    createdAt: isoInstant(createdAt),
  }))
  const rows = partners.map(({ clientId, name, createdAt, disabledAt }) => [
    clientId,
    name,
    disabledAt === undefined ? 'active' : `disabled ${when(disabledAt)}`,
    when(createdAt),
  ])
  return done(json, table(['CLIENT ID', 'NAME', 'STATE', 'CREATED'], rows, 'No partner yet.'))
}

export async function partnerDisable({ by, storage, clock }: Workspace, clientId: string): Promise<Outcome> {
  const disabled = await storage.partners.disable(by, clientId, clock.now())
  const sentence = `Partner ${clientId} is disabled; its tokens are refused from now on.`
  return outcome(disabled, { clientId, disabled }, disabled ? sentence : unknown(clientId))
}

export async function partnerEnable({ by, storage, clock }: Workspace, clientId: string): Promise<Outcome> {
  const enabled = await storage.partners.enable(by, clientId, clock.now())
  const sentence = `Partner ${clientId} is enabled; it must log in again, its earlier tokens stay refused.`
  return outcome(enabled, { clientId, enabled }, enabled ? sentence : unknown(clientId))
}

export async function partnerRotateSecret(
  { by, storage, clock, ids }: Pick<Workspace, 'by' | 'storage' | 'clock' | 'ids'>,
  clientId: string,
): Promise<Outcome> {
  const before = await storage.partners.liveSecrets(clientId, clock.now())
  const rotated = await rotateSecret({ by, partners: storage.partners, clock, ids }, clientId)
  if (!rotated) return refused({ clientId, rotated: false }, unknown(clientId))
  const { clientSecret, oldExpiresAt } = rotated
  // At most two secrets are live, so a third one has expired now.
  const olderSecretEnded = before.length > 1
  const older = 'The secret before the old one has expired now: at most two work at a time.'
  return done(
    { clientId, clientSecret, oldSecretExpiresAt: isoInstant(oldExpiresAt), olderSecretEnded },
    `Partner ${clientId} has a new secret, shown only now. The old one works until ${when(oldExpiresAt)}.`,
    ...(olderSecretEnded ? [older] : []),
    `  client secret  ${clientSecret}`,
  )
}

function unknown(clientId: string): string {
  return `There is no partner ${clientId}: see hub partner list.`
}
