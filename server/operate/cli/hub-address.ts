import { OperatorError } from '../../platform/errors.ts'
import type { Workspace } from './workspace.ts'

/** Hosts that a listener may have and a client may not, and the loopback address that leads there. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

type Where = Pick<Workspace, 'config' | 'folder'>

/** The address of the hub that runs on this machine, or that of the settings; an OperatorError when nobody knows its port. */
export function hubAddress({ config: { httpHost, httpPort }, folder }: Where): string {
  return addressOf(folder.readAddresses()?.http, httpHost, httpPort, 'HUB_HTTP_PORT')
}

/** The same, of its listener for operators. */
export function adminAddress({ config: { adminHost, adminPort }, folder }: Where): string {
  return addressOf(folder.readAddresses()?.admin, adminHost, adminPort, 'HUB_ADMIN_PORT')
}

function addressOf(running: string | undefined, host: string, port: number, setting: string): string {
  const url = new URL(running ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  if (url.port === '0')
    throw new OperatorError(
      `${setting} is 0 and no hub is running, so its address is not known: start the hub, or give the address.`,
    )
  url.hostname = LOOPBACK[url.hostname] ?? url.hostname
  return url.origin
}
