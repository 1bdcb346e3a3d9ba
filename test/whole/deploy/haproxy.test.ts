import { once } from 'node:events'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createLog } from '../../../server/platform/log.ts'
import { browsersAt } from '../../support/console.ts'
import { startTestHub } from '../../support/hub.ts'
import { bornDevice } from '../../support/mqtt/mqtt-device.ts'
import { makeCertificate } from '../../support/processes/certificate.ts'
import { findProgram } from '../../support/processes/program.ts'
import { startShippedHaproxy } from '../../support/processes/shipped-haproxy.ts'
import { until } from '../../support/wait.ts'

/** A client that is not the proxy. The whole of 127.0.0.0/8 is this machine. */
const CLIENT = '127.0.0.9'
const PROXY = '127.0.0.1'

/** A hub behind the HAProxy of deploy/haproxy.cfg. */
async function behindHaproxy() {
  const certificate = makeCertificate()
  const lines: string[] = []
  const hub = await startTestHub({
    log: createLog('info', { write: (line) => void lines.push(line) }),
    env: {
      ...{ HUB_MQTT_TLS_PORT: '0', HUB_TLS_CERT: certificate.certFile, HUB_TLS_KEY: certificate.keyFile },
      ...{ HUB_TRUST_PROXY_FROM: PROXY, HUB_CONSOLE_URL: 'https://console.example' },
    },
  })
  const { http, admin, mqtt, mqtts = '' } = hub
  const haproxy = await startShippedHaproxy({ http, admin, mqtt, mqtts }, certificate, onTestFinished)

  /** A request of the client through the proxy. */
  async function get(path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
    const options = { headers, localAddress: CLIENT, rejectUnauthorized: false }
    const asked = request(`${haproxy.http}${path}`, options)
    const answered = once(asked.end(), 'response')
    const [answer] = await answered
    answer.resume()
    return answer.statusCode
  }
  return { hub, lines, get, haproxy }
}

it.skipIf(findProgram('haproxy') === undefined)(
  'behind HAProxy the hub knows the addresses of partners and speakers, and believes no header of theirs',
  async () => {
    const { hub, lines, get, haproxy } = await behindHaproxy()
    lines.length = 0
    // HAProxy answers by itself, without the hub, while the hub has not answered its checks.
    await until('the answer of the hub', async () => {
      const status = await get('/api/v1/partner/device/SB-1', { 'X-Forwarded-For': '203.0.113.7' })
      return status === 401
    })
    const logged = (part: string) =>
      until(`a line with ${part}`, () => lines.find((line) => line.includes(part)))
    expect(await logged('/partner/device')).toContain(`"${CLIENT}"`)

    for (const scheme of ['mqtt', 'mqtts'] as const) {
      const device = await hub.device(`SB-${scheme}`)
      const born = await bornDevice(haproxy[scheme], device, { rejectUnauthorized: false })
      expect(born.closed).toBe(false)
    }
    // Not a CONNECT packet.
    connect({ host: PROXY, port: portOf(haproxy.mqtt), localAddress: CLIENT })
      .on('error', () => undefined)
      .end('\x30\x02\x00\x00')
    expect(await logged('without a CONNECT')).toContain(`"${CLIENT}"`)
  },
)

it.skipIf(findProgram('haproxy') === undefined)(
  'HAProxy takes 500 connections of an address, and has room for others',
  async () => {
    const { get, haproxy } = await behindHaproxy()
    // A refused connection may be reset before this process sees that it was open.
    const [settled, closed] = [new Set<Socket>(), new Set<Socket>()]
    const sockets = Array.from({ length: 505 }, () => {
      const socket = connect({ host: PROXY, port: portOf(haproxy.http), localAddress: '127.0.0.10' })
      return socket
        .on('connect', () => settled.add(socket))
        .on('error', () => undefined)
        .on('close', () => settled.add(socket) && closed.add(socket))
        .resume()
    })
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()))
    await until('all beyond 500 are closed', () => settled.size === 505 && closed.size >= 5)
    expect(await get('/healthz')).toBe(200)
    expect(closed.size).toBe(5)
  },
)

it.skipIf(findProgram('haproxy') === undefined)('HAProxy marks a hub DOWN that has ended', async () => {
  const { hub, haproxy } = await behindHaproxy()
  expect(haproxy.downs()).toBe(0)
  await hub.stop()
  await until('a hub that is DOWN', () => haproxy.downs() > 0)
})

function portOf(url: string): number {
  return Number(new URL(url).port)
}

it.skipIf(findProgram('haproxy') === undefined)(
  'people log in to the console through HAProxy over TLS, and get no figures there',
  async () => {
    const { hub, haproxy } = await behindHaproxy()
    const secret = await browsersAt(hub).link('minh', 'viewer')
    /** A request of a browser to the console. */
    async function ask(path: string, { cookie = '', form = '' } = {}) {
      const headers = {
        ...{ host: 'console.example', origin: 'https://console.example', cookie },
        'content-type': 'application/x-www-form-urlencoded',
      }
      const options = { method: form ? 'POST' : 'GET', headers, rejectUnauthorized: false }
      const [answer] = await once(request(haproxy.console + path, options).end(form), 'response')
      answer.resume()
      return { status: answer.statusCode, cookie: String(answer.headers['set-cookie']) }
    }
    expect((await ask('/audit')).status).toBe(401)
    expect((await ask('/metrics')).status).toBe(403)
    const { status, cookie } = await ask('/login', { form: `link=${secret}` })
    expect([status, cookie]).toEqual([303, expect.stringContaining('Secure')])
    expect((await ask('/audit', { cookie: cookie.split(';')[0] ?? '' })).status).toBe(200)
  },
)
