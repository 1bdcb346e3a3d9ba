import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { MOST_WAIT_S } from '../../../server/events/dto.ts'
import { listen } from '../../../server/platform/listen.ts'
import { COUNT_MS } from '../../../server/webhooks/replay-events.ts'
import { openHaproxy } from '../../force/parts/haproxy.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { findProgram } from '../../support/processes/program.ts'
import { until } from '../../support/wait.ts'

const FILES = ['deploy/haproxy.cfg', 'docs/scale.md']
const HELD = '/held'
const CALLBACK = '/api/v1/partner/payment/callback'
/** What a processor waits at least. Each of its callbacks has the answer of the second hub by then. */
const PROCESSOR_WAITS_MS = 3_000
const LEFT_WITHIN_MS = 5_000
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
/** Callbacks that are sent together: each hub gets one of them. */
const TOGETHER = 3

const without = findProgram('haproxy') === undefined
if (without) process.stderr.write('skipped: haproxy is not installed, no hub hangs behind it\n')

it.each(FILES)('the HAProxy of %s waits longer for an answer than the longest one takes', (file) => {
  const { http = '' } = backendsOf(file)
  expect(timeIn(http, 'timeout server')).toBeGreaterThan(Math.max(COUNT_MS, MOST_WAIT_S * 1_000))
})

it.each(FILES)('the checks of the HAProxy of %s leave a hub that hangs within 5 s', (file) => {
  const checked = Object.entries(backendsOf(file)).filter(([, backend]) => / check /.test(backend))
  expect(checked.map(([name]) => name)).toContain('http')
  for (const [, backend] of checked) {
    const fall = fallOf(backend)
    const longest =
      timeIn(backend, 'inter') +
      fall * timeIn(backend, 'timeout check') +
      (fall - 1) * timeIn(backend, 'fastinter')
    expect(longest).toBeLessThanOrEqual(LEFT_WITHIN_MS)
  }
})

it('the HAProxy of docs/scale.md sends a callback to the next hub while the processor waits', () => {
  const { http = '' } = backendsOf('docs/scale.md')
  expect(http).toContain(`if { path ${CALLBACK} }`)
  for (const timeout of ['set-timeout server', 'timeout connect'])
    expect(timeIn(http, timeout)).toBeLessThan(PROCESSOR_WAITS_MS)
})

it.skipIf(without)(
  'behind the HAProxy of docs/scale.md a hub that hangs holds no request, and no hub is a 503 with its code',
  async () => {
    const hub = await openHub()
    const haproxy = await behind([hub])

    const asked = fetch(haproxy.partners + HELD).then(
      ({ status }) => status,
      () => undefined,
    )
    await until('the request at the hub', () => hub.asked(HELD) > 0)
    hub.hang()
    expect(await asked).not.toBe(200)

    await until('a hub that is down', () => haproxy.up() === 0)
    const answer = await fetch(`${haproxy.partners}/api/v1/partner/device`)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.json()).toMatchObject({ code: 50300, error: 'UNAVAILABLE', details: [] })
  },
)

it.skipIf(without)(
  'behind the HAProxy of docs/scale.md callbacks and speakers of a hub that hangs go to the others, and every callback gets 200',
  async () => {
    const hubs = await Promise.all([openHub(), openHub(), openHub()])
    const haproxy = await behind(hubs)
    const [hung] = hubs
    const speakers = hubs.map(() => openSpeaker(new URL(haproxy.url)))
    await until('a speaker at each hub', () => hubs.every((hub) => hub.speakers() === 1))

    const ofHung = async () =>
      (await haproxy.statistics()).filter(
        ({ pxname, svname }) => svname === 'hub1' && pxname !== 'hub_websocket',
      )
    // Right after a start one failed check is enough, and its status is `UP 1/3`.
    await until('a hub that is up', async () => (await ofHung()).every(({ status }) => status === 'UP'))
    /** The checks that it has failed while it was up, in each backend. */
    const failed = async () =>
      Object.fromEntries((await ofHung()).map(({ pxname, chkfail }) => [pxname, Number(chkfail)]))
    const isLeft = async () => (await ofHung()).every(({ status }) => status === 'DOWN')
    const before = await failed()
    hung.hang()
    const answers: (number | undefined)[] = []
    while (!(await isLeft()))
      answers.push(...(await Promise.all(Array.from({ length: TOGETHER }, () => callBack(haproxy.partners)))))
    const held = hung.asked(CALLBACK)
    expect(held).toBeGreaterThan(0)
    for (let rest = 0; rest < 2 * hubs.length; rest += 1) answers.push(await callBack(haproxy.partners))
    expect(hung.asked(CALLBACK)).toBe(held)
    expect(answers.filter((status) => status !== 200)).toEqual([])

    await until('a closed connection', () => speakers.some(({ destroyed }) => destroyed))
    expect(speakers.filter(({ destroyed }) => destroyed)).toHaveLength(1)
    const { http = '', mqtt = '' } = backendsOf('docs/scale.md')
    expect(await failed()).toEqual({
      hub_http: Number(before.hub_http) + fallOf(http),
      hub_mqtt: Number(before.hub_mqtt) + fallOf(mqtt),
    })
  },
)

it.skipIf(without)(
  'behind the HAProxy of docs/scale.md speakers, also those over WebSocket, stay while no hub has a storage, and leave one that hangs',
  async () => {
    const hubs = await Promise.all([openHub(), openHub()])
    const haproxy = await behind(hubs)
    await until('two hubs', () => haproxy.up() === hubs.length)
    const speakers = hubs.flatMap(() => [openSpeaker(new URL(haproxy.url)), openWebSocket(haproxy.partners)])
    await until('two speakers at each hub', () => hubs.every((hub) => hub.speakers() === 2))

    for (const hub of hubs) hub.loseStorage()
    await until('no hub for partners', () => haproxy.up() === 0)
    expect(speakers.filter(({ destroyed }) => destroyed)).toEqual([])

    hubs[0]?.hang()
    const gone = () => speakers.filter(({ destroyed }) => destroyed)
    await until('the speakers of the hub that hangs have gone', () => gone().length === 2)
  },
)

type Hub = Awaited<ReturnType<typeof openHub>>

/** A server that answers as a hub, until it hangs: it takes connections and requests, and answers nothing. */
async function openHub() {
  const requests: string[] = []
  const speakers = new Set<Socket>()
  let hangs = false
  let isReady = true
  const http = createServer((asked, answer) => {
    const path = asked.url ?? ''
    // A request has come when its body has.
    asked.resume().on('end', () => {
      requests.push(path)
      if (!isReady && path === '/readyz') answer.statusCode = 503
      if (path !== HELD && !hangs) answer.end()
    })
  }).on('upgrade', ({ headers }, socket: Socket) => {
    speakers.add(socket.on('error', () => undefined))
    // HAProxy compares it with the key (RFC 6455, 1.3).
    const accept = createHash('sha1')
      .update(`${headers['sec-websocket-key']}${WEBSOCKET_GUID}`)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
  })
  const mqtt = createTcpServer((socket) => {
    speakers.add(socket.on('error', () => undefined))
  })
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
    for (const socket of speakers) socket.destroy()
    mqtt.close()
  })
  const address = `http://127.0.0.1:${await listen(http, '127.0.0.1', 0, 'port')}`
  return {
    addresses: {
      http: address,
      mqtt: `mqtt://127.0.0.1:${await listen(mqtt, '127.0.0.1', 0, 'port')}`,
      admin: address,
    },
    hang() {
      hangs = true
    },
    /** It answers, but its storage is away. */
    loseStorage() {
      isReady = false
    },
    /** The requests of a path that have come. */
    asked: (path: string) => requests.filter((one) => one === path).length,
    /** The connections of speakers that have come. */
    speakers: () => speakers.size,
  }
}

/** The HAProxy of docs/scale.md in front of some hubs. */
async function behind(hubs: readonly Hub[]) {
  const haproxy = await openHaproxy(
    hubs.map(({ addresses }) => addresses),
    temporaryFolder(),
    true,
  )
  if (!haproxy) throw new Error('HAProxy is installed')
  onTestFinished(() => haproxy.close())
  return haproxy
}

/** The status of a callback whose head comes before its body. */
async function callBack(partners: string): Promise<number | undefined> {
  const body = '{}'
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
  const asked = request(partners + CALLBACK, { method: 'POST', headers, agent: false })
  const answered = once(asked, 'response')
  asked.flushHeaders()
  await sleep(10)
  asked.end(body)
  const [answer] = await answered
  answer.resume()
  return answer.statusCode
}

function openSpeaker({ hostname, port }: URL): Socket {
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket.resume()
}

/** A speaker over WebSocket. */
function openWebSocket(partners: string): Socket {
  const socket = openSpeaker(new URL(partners))
  socket.write(
    'GET /mqtt HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n',
  )
  return socket
}

/** The backends of a configuration by their names, without `hub_`. */
function backendsOf(file: string): Record<string, string> {
  const found = readFileSync(file, 'utf8').matchAll(/^backend hub_(\w+)\n((?: {2}.*\n)*)/gm)
  return Object.fromEntries([...found].map(([, name = '', backend = '']) => [name, backend]))
}

/** A time of a backend in milliseconds, by the words before it. */
function timeIn(backend: string, words: string): number {
  const [, count, unit] = new RegExp(`(?<![\\w-])${words} (\\d+)(ms|s)\\b`).exec(backend) ?? []
  return Number(count) * (unit === 's' ? 1_000 : 1)
}

function fallOf(backend: string): number {
  return Number(/ fall (\d+)/.exec(backend)?.[1])
}
