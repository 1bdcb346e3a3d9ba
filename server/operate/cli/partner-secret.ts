import { OperatorError } from '../../platform/errors.ts'
import { askSecret } from './input.ts'
import { hasDatabase, lookIntoWorkspace, type Workspace } from './workspace.ts'

/**
 * The client secret of a partner: that of HUB_CLIENT_SECRET, that in the database of this machine, or what a person types.
 * `isElsewhere`: the hub's address was given, so this machine's database need not have the partner.
 */
export async function partnerSecret(
  clientId: string,
  { isElsewhere, stopping }: { isElsewhere: boolean; stopping: AbortSignal },
): Promise<string> {
  const given = process.env.HUB_CLIENT_SECRET
  if (given) return given
  if (hasDatabase()) {
    const stored = await lookIntoWorkspace((workspace) => storedSecret(workspace, clientId))
    if (stored !== undefined) return stored
    if (!isElsewhere) throw new OperatorError(`There is no partner ${clientId}: see hub partner list.`)
  }
  if (process.stdin.isTTY) return askSecret(`The client secret of ${clientId}: `, stopping)
  throw new OperatorError(
    `The client secret is needed, and no database on this machine has it: set HUB_CLIENT_SECRET to that of ${clientId}.`,
  )
}

/** The client secret in the database. Undefined when no such partner is there. */
export async function storedSecret(
  { storage, clock }: Pick<Workspace, 'storage' | 'clock'>,
  clientId: string,
): Promise<string | undefined> {
  const [live] = await storage.partners.liveSecrets(clientId, clock.now())
  return live?.secret
}
