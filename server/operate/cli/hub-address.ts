import { OperatorError } from '../../platform/errors.ts'
import type { Workspace } from './workspace.ts'

/** Hosts that a listener may have and a client may not, and the loopback address that leads there. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

/** The address of the hub that runs on this machine, or that of the settings; an OperatorError when nobody knows its port. */
export function hubAddress({ config, folder }: Pick<Workspace, 'config' | 'folder'>): string {
  const { httpHost, httpPort } = config
  const host = httpHost.includes(':') ? `[${httpHost}]` : httpHost
  const url = new URL(folder.readAddresses()?.http ?? `http://${host}:${httpPort}`)
  if (url.port === '0')
    throw new OperatorError(
      'HUB_HTTP_PORT is 0 and no hub is running, so its address is not known: start the hub, or give the address.',
    )
  url.hostname = LOOPBACK[url.hostname] ?? url.hostname
  return url.origin
}
