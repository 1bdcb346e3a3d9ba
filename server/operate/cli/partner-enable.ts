import { done, type Outcome, refused } from './output.ts'
import type { Workspace } from './workspace.ts'

export async function partnerEnable({ storage, clock }: Workspace, clientId: string): Promise<Outcome> {
  const enabled = await storage.partners.enable(clientId, clock.now())
  const json = { clientId, enabled }
  return enabled
    ? done(json, `Partner ${clientId} is enabled; it must log in again, its earlier tokens stay refused.`)
    : refused(json, `There is no partner ${clientId}: see hub partner list.`)
}
