import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { openDataFolder } from '../../server/data-folder.ts'
import { canonicalString } from '../../server/payments/canonical-string.ts'
import { sign } from '../../server/payments/checksum.ts'
import { startHubProcess } from '../../simulator/demo/hub-process.ts'
import { cpuMs } from './cpu.ts'
import { createBenchPartner, openShop } from './shop.ts'
import { type Figure, ratio } from './table.ts'

const SECONDS = 5
/** Until the code that every request runs is compiled: what is measured is a hub at work. */
const WARM_UP_SECONDS = 3
const CONNECTIONS = 64

interface Load {
  perSecond: number
  /** CPU time of the server, in microseconds; undefined where the system does not tell it. */
  cpuPerRequest: number | undefined
}

/**
 * Callbacks a second, each stored durably before its 200, beside a bare echo of the same bodies; and what each costs
 * of CPU, which says more where the load and other programs take part of the machine.
 */
export async function benchCallbacks(): Promise<Figure[]> {
  const hub = await startHubProcess(process.env)
  try {
    const partner = await createBenchPartner(hub)
    const { terminalID, speaker } = await openShop(hub, partner, 1)
    await speaker.stop()
    const pid = openDataFolder(hub.folder).readAddresses()?.pid
    const body = signedBodies(terminalID, partner.clientSecret)
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${partner.accessToken}` }
    const stored = await load(`${hub.http}/api/v1/partner/payment/callback`, pid, headers, body)
    const echoed = await withEcho((base, echo) => load(`${base}/callback`, echo, headers, body))
    return [
      {
        what: 'durable callbacks/s',
        value: stored.perSecond.toFixed(0),
        peer: 'bare Hono echo/s',
        peerValue: echoed.perSecond.toFixed(0),
        ratio: ratio(stored.perSecond, echoed.perSecond),
      },
      ...cpuFigure(stored.cpuPerRequest, echoed.cpuPerRequest),
    ]
  } finally {
    await hub.stop()
  }
}

function cpuFigure(stored: number | undefined, echoed: number | undefined): Figure[] {
  if (stored === undefined || echoed === undefined) return []
  return [
    {
      what: 'CPU per durable callback',
      value: `${stored.toFixed(0)} µs`,
      peer: 'bare Hono echo',
      peerValue: `${echoed.toFixed(0)} µs`,
      ratio: ratio(stored, echoed),
    },
  ]
}

/** Every call answers the body of a payment that was never reported before. */
function signedBodies(terminalID: string, secret: string): () => string {
  let count = 0
  return () => {
    count += 1
    const fields = {
      terminalID,
      bankCode: 'MB',
      billNumber: '',
      transactionAmount: '50000',
      notice: 'Thanh toan',
      payDate: '2026-11-20T10:15:30.000Z',
      traceTransfer: String(count),
      ftCode: `FT${count}`,
    }
    return JSON.stringify({ ...fields, checkSum: sign(secret, canonicalString(fields)).toString('hex') })
  }
}

/** What was answered with 2xx, by the process `pid`; a single other answer makes the figures worthless. */
async function load(
  url: string,
  pid: number | undefined,
  headers: Record<string, string>,
  body: () => string,
): Promise<Load> {
  const run = (duration: number) =>
    autocannon({
      url,
      connections: CONNECTIONS,
      duration,
      requests: [{ method: 'POST', headers, setupRequest: (request) => ({ ...request, body: body() }) }],
    })
  await run(WARM_UP_SECONDS)
  const before = cpuMs(pid)
  const result = await run(SECONDS)
  const after = cpuMs(pid)
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed`)
  const usedMs = before === undefined || after === undefined ? undefined : after - before
  return {
    perSecond: result['2xx'] / result.duration,
    cpuPerRequest: usedMs && (usedMs * 1000) / result['2xx'],
  }
}

async function withEcho<T>(act: (base: string, pid: number | undefined) => Promise<T>): Promise<T> {
  const file = fileURLToPath(new URL('./echo.ts', import.meta.url))
  const echo = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(echo.stdout, 'data')
    return await act(String(line).trim(), echo.pid)
  } finally {
    echo.kill('SIGTERM')
  }
}
