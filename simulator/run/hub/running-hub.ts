import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode, messageOf } from '../../platform/error-text.ts'
import { CannotStart } from '../../platform/errors.ts'
import { isAlive } from '../../platform/process-alive.ts'

/** The file in the data folder in which a running hub stores its addresses. */
const addresses = z.object({
  pid: z.int(),
  http: z.exactOptional(z.url()),
  mqtt: z.exactOptional(z.url()),
  mqtts: z.exactOptional(z.url()),
  box: z.exactOptional(z.url()),
})

const USUAL_HTTP_PORT = 8080
const USUAL = { url: 'mqtt://127.0.0.1:1883', http: `http://127.0.0.1:${USUAL_HTTP_PORT}` }
/** Boxes of other makers have a listener of their own; without a hub its port is only a guess. */
const USUAL_BOX_URL = 'mqtt://127.0.0.1:1885'
const USUAL_PORTS: Record<string, number> = { 'mqtt:': 1883, 'mqtts:': 8883, 'ws:': 80, 'wss:': 443 }
const ANSWERS_WITHIN_MS = 5_000

export const dataFolderOf = (env: NodeJS.ProcessEnv) => env.HUB_DATA_DIR || './data'
/** The default of --state. */
export const stateFolderOf = (env: NodeJS.ProcessEnv) => `${dataFolderOf(env)}/simulator`

/** The hub that runs on the data folder. Undefined when none does. */
export function runningHub(env: NodeJS.ProcessEnv) {
  try {
    const hub = addresses.parse(JSON.parse(readFileSync(join(dataFolderOf(env), 'hub.json'), 'utf8')))
    // A hub that was killed leaves the file behind.
    if (!isAlive(hub.pid)) return undefined
    const [http, mqtt, mqtts, box] = [hub.http, hub.mqtt, hub.mqtts, hub.box].map(reachable)
    const url = mqtt ?? mqtts ?? USUAL.url
    return { http, url, box, addressFor: (given: string) => (given.startsWith('mqtts:') && mqtts) || url }
  } catch {
    return undefined
  }
}

/** A listener on all addresses is reached at the loopback address. */
function reachable(address: string | undefined): string | undefined {
  return address?.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** The defaults of --url and --http: the hub that runs on the data folder, else one on the usual ports. */
export function hubAddresses(env: NodeJS.ProcessEnv): typeof USUAL {
  const hub = runningHub(env)
  return { url: hub?.url ?? USUAL.url, http: hub?.http ?? USUAL.http }
}

/** The default of --box-url. */
export function boxAddress(env: NodeJS.ProcessEnv): string {
  return runningHub(env)?.box ?? USUAL_BOX_URL
}

/** The partner API of the hub whose speakers connect to `url`. */
export function apiOf(url: string, env: NodeJS.ProcessEnv): string {
  const known = hubAddresses(env)
  return url === known.url ? known.http : `http://${new URL(url).hostname}:${USUAL_HTTP_PORT}`
}

export function portOf(url: string): number | undefined {
  const { protocol, port } = new URL(url)
  return Number(port) || USUAL_PORTS[protocol]
}

/** Throws `CannotStart` when nobody listens where the speakers are to connect. Its sentence names the option. */
export async function checkBroker(url: string, option = '--url'): Promise<void> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host, port: portOf(url) ?? 0, timeout: ANSWERS_WITHIN_MS })
    const fail = (why: string) => {
      socket.destroy()
      reject(unanswered(url, why, option))
    }
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('timeout', () => fail(`no answer within ${ANSWERS_WITHIN_MS / 1_000} s`))
    socket.once('error', (error) => fail(messageOf(error)))
  })
}

/** The same for the partner API and --http. Any status will do: a gateway may refuse this path. */
export async function checkApi(http: string): Promise<void> {
  try {
    await fetch(`${http}/healthz`, { redirect: 'manual', signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
  } catch (error) {
    const code = errorCode(Object(error).cause)
    throw unanswered(http, typeof code === 'string' ? code : messageOf(error), '--http')
  }
}

function unanswered(address: string, why: string, option: string): CannotStart {
  return new CannotStart(
    `No hub answers at ${address} (${why}): start it with npm start, set HUB_DATA_DIR to its folder, or give its address with ${option}.`,
  )
}
