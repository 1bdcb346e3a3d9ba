import { done, type Outcome, table, when } from './output.ts'
import type { Workspace } from './workspace.ts'

export async function partnerList({ storage }: Workspace): Promise<Outcome> {
  const partners = await storage.partners.list()
  const json = partners.map(({ clientId, name, createdAt, disabledAt }) => ({
    clientId,
    name,
    disabled: disabledAt !== undefined,
    createdAt: new Date(createdAt).toISOString(),
  }))
  const rows = partners.map((partner) => [
    partner.clientId,
    partner.name,
    partner.disabledAt === undefined ? 'active' : `disabled ${when(partner.disabledAt)}`,
    when(partner.createdAt),
  ])
  const text = rows.length > 0 ? table(['CLIENT ID', 'NAME', 'STATE', 'CREATED'], rows) : 'No partner yet.'
  return done(json, text)
}
