import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stopProcess } from '../../../simulator/platform/child-process.ts'
import { freePort } from '../../../simulator/platform/free-port.ts'
import { type OnEnd, temporaryFolder } from '../folder.ts'
import { until } from '../wait.ts'
import type { Certificate } from './certificate.ts'

const CONFIGURATION = fileURLToPath(new URL('../../../deploy/haproxy.cfg', import.meta.url))

/** The HAProxy of deploy/haproxy.cfg in front of a hub, which trusts 127.0.0.1. */
export interface ShippedHaproxy {
  /** Its addresses: for partners, for operators, and for speakers without and with TLS. */
  http: string
  console: string
  mqtt: string
  mqtts: string
  /** How often it has marked the hub DOWN. */
  downs(): number
}

/** Resolves when the hub answers through it. */
export async function startShippedHaproxy(
  hub: Record<'http' | 'admin' | 'mqtt' | 'mqtts', string>,
  { cert, key }: Pick<Certificate, 'cert' | 'key'>,
  onEnd: OnEnd,
): Promise<ShippedHaproxy> {
  const pem = join(temporaryFolder(onEnd), 'hub.pem')
  writeFileSync(pem, cert + key)
  const at = async () => `127.0.0.1:${await freePort()}`
  const [http, console, mqtt, mqtts] = [await at(), await at(), await at(), await at()]
  const env = {
    PATH: process.env.PATH,
    ...{ HAPROXY_CERT: pem, HAPROXY_HTTPS: http, HAPROXY_MQTT: mqtt, HAPROXY_MQTTS: mqtts },
    ...{ HAPROXY_CONSOLE: console, HAPROXY_TO_CONSOLE: new URL(hub.admin).host },
    HAPROXY_TO_HTTP: new URL(hub.http).host,
    HAPROXY_TO_ADMIN_PORT: new URL(hub.admin).port,
    HAPROXY_TO_MQTT: new URL(hub.mqtt).host,
    HAPROXY_TO_MQTTS: new URL(hub.mqtts).host,
  }
  const haproxy = spawn('haproxy', ['-db', '-f', CONFIGURATION], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let downs = 0
  // A line for each change of a server, and not for a connection.
  createInterface({ input: haproxy.stderr }).on('line', (line) => {
    if (/Server \S+ is DOWN/.test(line)) downs += 1
  })
  onEnd(() => stopProcess(haproxy, 'SIGKILL'))
  await until('an answer through the proxy', () => answers(`https://${http}/healthz`))
  return {
    http: `https://${http}`,
    console: `https://${console}`,
    mqtt: `mqtt://${mqtt}`,
    mqtts: `mqtts://${mqtts}`,
    downs: () => downs,
  }
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false, rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', () => resolve(false))
  })
}
