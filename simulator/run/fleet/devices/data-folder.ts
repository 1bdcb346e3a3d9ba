import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { CannotStart } from '../../../platform/errors.ts'
import { isAlive } from '../../../platform/process-alive.ts'

/** The file in the data folder in which a running hub stores its addresses. */
const addresses = z.object({ pid: z.int(), mqtt: z.url(), mqtts: z.exactOptional(z.url()) })

const THIS_MACHINE = /^(localhost|127\.[\d.]+|\[::1\])$/
const USUAL_PORTS: Record<string, string> = { 'mqtt:': '1883', 'mqtts:': '8883' }

/**
 * Throws `CannotStart` when the data folder does not belong to the hub at `url`, which would not know devices minted
 * there. A hub on another machine or behind a proxy (ws, wss) may have other ports than its file says; then only a
 * running hub on the folder is required.
 */
export function checkDataFolder(env: NodeJS.ProcessEnv, url: string): void {
  const folder = env.HUB_DATA_DIR || './data'
  const running = runningHub(folder)
  if (running && (!isOnThisMachine(url) || portOf(url) === portOf(running.addressFor(url)))) return
  const why = running ? `the hub that uses it is at ${running.addressFor(url)}` : 'no hub is running on it'
  throw new CannotStart(
    `The data folder ${folder} does not belong to the hub at ${url}: ${why}. Set HUB_DATA_DIR to the folder of that hub, or give --devices.`,
  )
}

function runningHub(folder: string) {
  try {
    const hub = addresses.parse(JSON.parse(readFileSync(join(folder, 'hub.json'), 'utf8')))
    // A hub that was killed leaves the file behind.
    if (!isAlive(hub.pid)) return undefined
    return { addressFor: (url: string) => (url.startsWith('mqtts:') && hub.mqtts) || hub.mqtt }
  } catch {
    return undefined
  }
}

function isOnThisMachine(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol in USUAL_PORTS && THIS_MACHINE.test(hostname)
}

function portOf(url: string): string | undefined {
  const { protocol, port } = new URL(url)
  return port || USUAL_PORTS[protocol]
}
