import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createLog } from '../../../server/platform/log.ts'
import { freePort } from '../../../simulator/platform/free-port.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startTestHub } from '../../support/hub.ts'
import { bornDevice } from '../../support/mqtt/mqtt-device.ts'
import { findProgram } from '../../support/processes/program.ts'
import { until } from '../../support/wait.ts'

/** A client that is not the proxy. The whole of 127.0.0.0/8 is this machine. */
const CLIENT = '127.0.0.9'
const PROXY = '127.0.0.1'

/** A hub behind the HAProxy of deploy/haproxy.cfg. */
async function behindHaproxy() {
  const folder = temporaryFolder()
  const [cert, key, both] = ['cert.pem', 'key.pem', 'both.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', '2', '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert],
  ])
  expect(made.status).toBe(0)
  writeFileSync(both, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'))
  const lines: string[] = []
  const hub = await startTestHub({
    log: createLog('info', { write: (line) => void lines.push(line) }),
    env: {
      ...{ HUB_MQTT_TLS_PORT: '0', HUB_TLS_CERT: cert, HUB_TLS_KEY: key },
      HUB_TRUST_PROXY_FROM: PROXY,
    },
  })
  const [https, mqtt, mqtts] = [await freePort(), await freePort(), await freePort()]
  const env = {
    PATH: process.env.PATH,
    ...{ HAPROXY_CERT: both, HAPROXY_HTTPS: `${PROXY}:${https}` },
    ...{ HAPROXY_MQTT: `${PROXY}:${mqtt}`, HAPROXY_MQTTS: `${PROXY}:${mqtts}` },
    HAPROXY_TO_HTTP: new URL(hub.http).host,
    HAPROXY_TO_ADMIN_PORT: new URL(hub.admin).port,
    HAPROXY_TO_MQTT: new URL(hub.mqtt).host,
    HAPROXY_TO_MQTTS: new URL(String(hub.mqtts)).host,
  }
  const haproxy = spawn('haproxy', ['-db', '-f', 'deploy/haproxy.cfg'], { env, stdio: 'ignore' })
  onTestFinished(() => void haproxy.kill('SIGKILL'))

  /** A request of the client through the proxy. */
  async function get(path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
    const asked = request({
      host: PROXY,
      port: https,
      path,
      headers,
      localAddress: CLIENT,
      rejectUnauthorized: false,
    })
    const answered = once(asked.end(), 'response')
    const [answer] = await answered
    answer.resume()
    return answer.statusCode
  }
  await until('an answer through the proxy', () =>
    get('/healthz').then(
      (status) => status === 200,
      () => false,
    ),
  )
  return { hub, lines, get, https, mqtt, mqtts }
}

it.skipIf(findProgram('haproxy') === undefined)(
  'behind HAProxy the hub knows the addresses of partners and speakers, and believes no header of theirs',
  async () => {
    const { hub, lines, get, mqtt, mqtts } = await behindHaproxy()
    lines.length = 0
    // HAProxy answers by itself, without the hub, while the hub has not answered its checks.
    await until('the answer of the hub', async () => {
      const status = await get('/api/v1/partner/device/SB-1', { 'X-Forwarded-For': '203.0.113.7' })
      return status === 401
    })
    const logged = (part: string) =>
      until(`a line with ${part}`, () => lines.find((line) => line.includes(part)))
    expect(await logged('/partner/device')).toContain(`"${CLIENT}"`)

    for (const [scheme, port] of [
      ['mqtt', mqtt],
      ['mqtts', mqtts],
    ] as const) {
      const serial = `SB-${scheme}`
      const born = await bornDevice(`${scheme}://${PROXY}:${port}`, await hub.device(serial), {
        rejectUnauthorized: false,
      })
      expect(born.closed).toBe(false)
    }
    // Not a CONNECT packet.
    connect({ host: PROXY, port: mqtt, localAddress: CLIENT })
      .on('error', () => undefined)
      .end('\x30\x02\x00\x00')
    expect(await logged('without a CONNECT')).toContain(`"${CLIENT}"`)
  },
)

it.skipIf(findProgram('haproxy') === undefined)(
  'HAProxy takes 500 connections of an address, and has room for others',
  async () => {
    const { get, https } = await behindHaproxy()
    let [opened, closed] = [0, 0]
    const sockets = Array.from({ length: 505 }, () =>
      connect({ host: PROXY, port: https, localAddress: '127.0.0.10' })
        .on('connect', () => (opened += 1))
        .on('error', () => undefined)
        .on('close', () => (closed += 1))
        .resume(),
    )
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()))
    await until('all beyond 500 are closed', () => opened === 505 && closed >= 5)
    expect(await get('/healthz')).toBe(200)
    expect(closed).toBe(5)
  },
)
