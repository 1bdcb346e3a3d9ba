import { CannotStart } from '../../../platform/errors.ts'
import { dataFolderOf, portOf, runningHub } from '../../hub/running-hub.ts'

const THIS_MACHINE = /^(localhost|127\.[\d.]+|\[::1\])$/

/**
 * Throws `CannotStart` when the data folder does not belong to the hub at `url`, which would not know devices minted
 * there. `instead` is what its sentence offers instead of minting. A hub on another machine or behind a proxy (ws, wss) may have other ports than its file says; then only a
 * running hub on the folder is required.
 */
export function checkDataFolder(env: NodeJS.ProcessEnv, url: string, instead = 'give --devices'): void {
  const running = runningHub(env)
  if (running && (!isOnThisMachine(url) || portOf(url) === portOf(running.addressFor(url)))) return
  const why = running ? `the hub that uses it is at ${running.addressFor(url)}` : 'no hub is running on it'
  const orElse = running ? ', leave --url out' : ''
  throw new CannotStart(
    `The data folder ${dataFolderOf(env)} does not belong to the hub at ${url}: ${why}. Set HUB_DATA_DIR to the folder of that hub${orElse}, or ${instead}.`,
  )
}

function isOnThisMachine(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return /^mqtts?:$/.test(protocol) && THIS_MACHINE.test(hostname)
}
