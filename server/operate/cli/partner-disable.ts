import { done, type Outcome, refused } from './output.ts'
import type { Workspace } from './workspace.ts'

export async function partnerDisable({ storage, clock }: Workspace, clientId: string): Promise<Outcome> {
  const disabled = await storage.partners.disable(clientId, clock.now())
  const json = { clientId, disabled }
  return disabled
    ? done(json, `Partner ${clientId} is disabled; its tokens are refused from now on.`)
    : refused(json, `There is no partner ${clientId}: see hub partner list.`)
}
