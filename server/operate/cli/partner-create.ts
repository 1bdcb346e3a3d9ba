import { createPartner } from '../../partners/manage-partners.ts'
import { done, type Outcome } from './output.ts'
import type { Workspace } from './workspace.ts'

export async function partnerCreate({ storage, clock, ids }: Workspace, name: string): Promise<Outcome> {
  const { clientId, clientSecret } = await createPartner({ partners: storage.partners, clock, ids }, name)
  return done(
    { clientId, clientSecret },
    `Partner "${name}" is made. The secret is shown only now.\n  client id      ${clientId}\n  client secret  ${clientSecret}`,
  )
}
