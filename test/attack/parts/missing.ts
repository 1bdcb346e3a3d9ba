import { openFiles } from '../../force/parts/open-files.ts'
import { findProgram } from '../../support/processes/program.ts'
import type { NamedAttack } from '../attacks/attacks.ts'

/** Why an attack can't run on this machine. */
export function missingFor({ isProxied, sockets = 0 }: NamedAttack): string | undefined {
  if (isProxied && findProgram('haproxy') === undefined) return 'haproxy is not installed'
  return openFiles(sockets)
}
