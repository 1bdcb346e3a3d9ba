import { setTimeout as pause } from 'node:timers/promises'
import { createShop } from '../../server/storage/shop.ts'
import { signedCallback } from '../../support/callback.ts'
import { accessTokenOf } from '../../support/http/access-token.ts'
import { startTestHub, type TestHub } from '../../support/hub.ts'
import { makeCertificate } from '../../support/processes/certificate.ts'
import { between, countersOf, type Traffic } from './counters.ts'
import { type DeviceOptions, type MeasuredDevice, openDevice } from './device.ts'

/*
 * What a speaker sends and receives: npm run -s traffic. Each figure is read from the counters of the device's kernel.
 * The idle figures are those of PERIODS pings, each after a whole keepalive, times the pings of a day.
 */

const KEEPALIVES_S = [15, 60, 120]
const PERIODS: Readonly<Record<number, number>> = { 15: 4, 60: 2, 120: 1 }
const PAYMENTS = 5
const DAY_S = 86_400
/** Delayed ACKs and everything that the hub sends after the welcome have come by then. */
const SETTLED_MS = 1_500

const ended: (() => unknown)[] = []
const onEnd = (act: () => unknown) => void ended.unshift(act)

try {
  await measure()
} finally {
  for (const act of ended) await act()
}

async function measure() {
  const certificate = makeCertificate(onEnd)
  const hub = await startTestHub({
    onEnd,
    env: {
      HUB_MQTT_TLS_PORT: '0',
      HUB_TLS_CERT: certificate.certFile,
      HUB_TLS_KEY: certificate.keyFile,
    },
  })
  const partner = await hub.partner()
  const shop = createShop(hub.storage)
  const connect = async (terminalID: string, options: Omit<DeviceOptions, 'serial' | 'key'>) => {
    const speaker = await shop.speaker(partner.clientId, terminalID, Date.now())
    const open = async (more: Partial<DeviceOptions> = {}) => {
      const device = await openDevice({ ...speaker, ...options, ...more })
      onEnd(device.close)
      await pause(SETTLED_MS)
      return device
    }
    return { open, device: await open() }
  }

  const idle = KEEPALIVES_S.map(async (keepaliveS) => {
    const { device } = await connect(`idle-${keepaliveS}`, { port: portOf(hub.mqtt), keepaliveS })
    return [keepaliveS, await idleOf(device, keepaliveS)] as const
  })
  const { device } = await connect('till', { port: portOf(hub.mqtt), keepaliveS: 120 })
  const opening = countersOf(device.localPort)
  const payment = await payments(hub, partner, device)
  const before = countersOf(device.localPort)
  device.tellTelemetry()
  await pause(SETTLED_MS)
  const telemetry = between(before, countersOf(device.localPort))

  const tickets: Buffer[] = []
  const tls = { rejectUnauthorized: false }
  const secure = await connect('tls', { port: portOf(hub.mqtts ?? ''), keepaliveS: 120, tls })
  const full = countersOf(secure.device.localPort)
  secure.device.close()
  await collectTicket(portOf(hub.mqtts ?? ''), tickets)
  const [session] = tickets
  const resumed = await secure.open({ tls: { ...tls, ...(session && { session }) } })
  if (!resumed.isResumed) throw new Error('the session of TLS was not resumed')
  const short = countersOf(resumed.localPort)

  print('a session is opened, TCP', opening)
  print('the same, TLS 1.3 with an EC certificate', full)
  print('the same, TLS 1.3 resumed', short)
  print('one payment, three seconds', payment)
  print('one telemetry', telemetry)
  for (const [keepaliveS, ping] of await Promise.all(idle)) {
    print(`one ping at ${keepaliveS} s`, ping)
    const perDay = DAY_S / keepaliveS
    const day = { segments: ping.segments * perDay, payload: ping.payload * perDay, ip: ping.ip * perDay }
    print(`a day of pings at ${keepaliveS} s`, day)
  }
}

async function idleOf(device: MeasuredDevice, keepaliveS: number): Promise<Traffic> {
  const periods = PERIODS[keepaliveS] ?? 1
  const before = countersOf(device.localPort)
  for (let period = 0; period < periods; period += 1) {
    await pause(keepaliveS * 1_000)
    device.ping()
  }
  await pause(SETTLED_MS)
  return between(before, countersOf(device.localPort), periods)
}

/** One after the other, each with its callback, announcement and acks. */
async function payments(
  hub: TestHub,
  partner: { clientId: string; clientSecret: string },
  device: MeasuredDevice,
): Promise<Traffic> {
  const token = await accessTokenOf(hub.http, partner)
  const before = countersOf(device.localPort)
  for (let number = 1; number <= PAYMENTS; number += 1) {
    const payment = {
      ...{ terminalID: 'till', transactionAmount: '180000', payDate: new Date().toISOString() },
      ...{ notice: '', traceTransfer: `${number}`, ftCode: `FT${number}` },
    }
    const answer = await fetch(`${hub.http}/api/v1/partner/payment/callback`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify(signedCallback(partner.clientSecret, payment)),
    })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
    while (device.played < number) await pause(100)
    await pause(SETTLED_MS)
  }
  return between(before, countersOf(device.localPort), PAYMENTS)
}

/** TLS 1.3 sends its tickets after the handshake. */
async function collectTicket(port: number, tickets: Buffer[]) {
  const { connect } = await import('node:tls')
  const line = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  line.on('session', (ticket) => tickets.push(ticket))
  line.on('error', () => undefined)
  await pause(SETTLED_MS)
  line.destroy()
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

function print(what: string, { segments, payload, ip }: Traffic) {
  const round = (value: number) => Math.round(value).toLocaleString('en-US')
  process.stdout.write(
    `${what.padEnd(42)} ${segments.toFixed(1).padStart(9)} segments ${round(payload).padStart(9)} bytes ${round(ip).padStart(9)} with headers\n`,
  )
}
