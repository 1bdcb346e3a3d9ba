import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopProcess } from '../../../simulator/platform/child-process.ts'
import { freePort } from '../../../simulator/platform/free-port.ts'
import type { Balancer } from '../../../simulator/run/cluster/parts/balancer.ts'
import { findProgram } from '../../support/processes/program.ts'
import { until } from '../../support/wait.ts'

const PAGE = new URL('../../../docs/scale.md', import.meta.url)
const LOOK_EVERY_MS = 200

/** HAProxy with the configuration of docs/scale.md. */
export interface Haproxy extends Pick<Balancer, 'url' | 'up'> {
  /** The address for partners. */
  partners: string
  version: string
  /** Its statistics: a row for each frontend, backend and server, with the names of its columns. */
  statistics(): Promise<Record<string, string>[]>
  close(): Promise<void>
}

/** The addresses of a hub, which may be those of wires to it. */
export interface HubAddresses {
  http: string
  mqtt: string
  admin: string
}

/**
 * Starts HAProxy in front of some hubs, which trust 127.0.0.1. A hub is up when its backend for speakers says so, and
 * `forPartners` the other one, too. Undefined where HAProxy is not installed.
 */
export async function openHaproxy(
  hubs: readonly HubAddresses[],
  folder: string,
  forPartners: boolean,
): Promise<Haproxy | undefined> {
  const program = findProgram('haproxy')
  if (program === undefined) return undefined
  const [partners, speakers, stats] = [await freePort(), await freePort(), await freePort()]
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configure(hubs, { partners, speakers, stats }))
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-2_000)
  })
  let up = 0
  const statistics = () => readStatistics(`http://127.0.0.1:${stats}/;csv`)
  const look = async () => {
    const [toPartners, toSpeakers] = serversUp(await statistics())
    up = forPartners ? Math.min(toPartners, toSpeakers) : toSpeakers
  }
  await until('HAProxy', async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy has ended: ${complaints}`)
    await look().catch(() => undefined)
    return up > 0
  }).catch(async (error: unknown) => {
    await stopProcess(child, 'SIGKILL')
    throw error
  })
  const ended = new AbortController()
  void lookOn()

  async function lookOn() {
    while (!ended.signal.aborted) {
      await look().catch(() => undefined)
      await sleep(LOOK_EVERY_MS)
    }
  }

  return {
    url: `mqtt://127.0.0.1:${speakers}`,
    partners: `http://127.0.0.1:${partners}`,
    version: /\d+\.\d+\.\d+/.exec(spawnSync(program, ['-v'], { encoding: 'utf8' }).stdout)?.[0] ?? '',
    up: () => up,
    statistics,
    close() {
      ended.abort()
      return stopProcess(child, 'SIGKILL')
    },
  }
}

/** The backends of the page with the addresses of these hubs, and the frontends before them. */
function configure(
  hubs: readonly HubAddresses[],
  ports: Record<'partners' | 'speakers' | 'stats', number>,
): string {
  const [, page] = /```text\n(backend hub_http\n[^`]*)```/.exec(readFileSync(PAGE, 'utf8')) ?? []
  if (page === undefined) throw new Error('docs/scale.md has no configuration of HAProxy')
  const backends = page.split('\n\n').map((backend) => {
    // The line of the first hub, from which come those of all.
    const [line = ''] = /^ {2}server hub1 .*/m.exec(backend) ?? []
    const listener = line.includes(':1883') ? 'mqtt' : 'http'
    const servers = hubs.map((hub, index) => {
      const check = line.includes(' track ') ? '' : ` check port ${new URL(hub.admin).port}`
      const own = line.replaceAll('hub1', `hub${index + 1}`)
      return own.replace(/10\.0\.0\.1:\d+/, new URL(hub[listener]).host) + check
    })
    return [backend.replaceAll(/^ {2}server .*\n?/gm, '').trimEnd(), ...servers].join('\n')
  })
  return `
defaults
  timeout connect 5s
  timeout client 10m
  timeout server 30s

frontend partners
  mode http
  bind 127.0.0.1:${ports.partners}
  use_backend hub_websocket if { path /mqtt }
  default_backend hub_http

frontend speakers
  mode tcp
  bind 127.0.0.1:${ports.speakers}
  default_backend hub_mqtt

frontend stats
  mode http
  bind 127.0.0.1:${ports.stats}
  stats enable
  stats uri /

${backends.join('\n\n')}
`
}

async function readStatistics(url: string): Promise<Record<string, string>[]> {
  const [head = '', ...rows] = (await (await fetch(url)).text()).trim().split('\n')
  const names = head.replace('# ', '').split(',')
  return rows.map((row) => {
    const values = row.split(',')
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
  })
}

/** The hubs that are up for partners and for speakers. */
function serversUp(rows: readonly Record<string, string>[]): [number, number] {
  const upIn = (backend: string) =>
    rows.filter(
      ({ pxname, svname, status }) =>
        pxname === backend && svname !== 'BACKEND' && status?.startsWith('UP') === true,
    ).length
  return [upIn('hub_http'), upIn('hub_mqtt')]
}
