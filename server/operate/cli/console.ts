import { manageSessions } from '../../operators/manage-sessions.ts'
import type { Role } from '../../operators/session.ts'
import { OperatorError } from '../../platform/errors.ts'
import { adminAddress } from './hub-address.ts'
import { done, type Outcome } from './output.ts'
import type { Workspace } from './workspace.ts'

/** Makes a link that logs a person in to the console of any hub on the database. */
export async function consoleLink(
  workspace: Workspace,
  { name, role }: { name?: string; role: Role },
): Promise<Outcome> {
  const { by, config, storage, clock, ids } = workspace
  if (!config.console)
    throw new OperatorError(
      'There is no console: HUB_ADMIN_HOST is no loopback address. Set HUB_CONSOLE_URL to the https:// address by which people reach it, for the hub and for this command.',
    )
  const at = config.console.url ?? adminAddress(workspace)
  const person = name ?? (by.kind === 'operator' ? by.name : '')
  const secret = await manageSessions({ operators: storage.operators, clock, ids }).makeLink(by, {
    name: person,
    role,
  })
  const url = `${at}/login?link=${secret}`
  return done({ url }, url, `It logs ${person} in as ${role}, once and within 60 s.`)
}
