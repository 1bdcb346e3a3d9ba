import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { canonicalString } from '../../server/payments/canonical-string.ts'
import { sign } from '../../server/payments/checksum.ts'
import { startHubProcess } from '../../simulator/demo/hub-process.ts'
import { createBenchPartner, openShop } from './shop.ts'
import { type Figure, ratio } from './table.ts'

const SECONDS = 5
const CONNECTIONS = 64

/** Callbacks a second, each stored durably before its 200, beside a bare echo of the same bodies. */
export async function benchCallbacks(): Promise<Figure> {
  const hub = await startHubProcess(process.env)
  try {
    const partner = await createBenchPartner(hub)
    const { terminalID, speaker } = await openShop(hub, partner, 1)
    await speaker.stop()
    const body = signedBodies(terminalID, partner.clientSecret)
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${partner.accessToken}` }
    const stored = await load(`${hub.http}/api/v1/partner/payment/callback`, headers, body)
    const echoed = await withEcho((base) => load(`${base}/callback`, headers, body))
    return {
      what: 'durable callbacks/s',
      value: stored.toFixed(0),
      peer: 'bare Hono echo/s',
      peerValue: echoed.toFixed(0),
      ratio: ratio(stored, echoed),
    }
  } finally {
    await hub.stop()
  }
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

/** Requests a second that were answered with 2xx; a single other answer makes the figure worthless. */
async function load(url: string, headers: Record<string, string>, body: () => string): Promise<number> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: SECONDS,
    requests: [{ method: 'POST', headers, setupRequest: (request) => ({ ...request, body: body() }) }],
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed`)
  return result['2xx'] / result.duration
}

async function withEcho<T>(act: (base: string) => Promise<T>): Promise<T> {
  const file = fileURLToPath(new URL('./echo.ts', import.meta.url))
  const echo = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(echo.stdout, 'data')
    return await act(String(line).trim())
  } finally {
    echo.kill('SIGTERM')
  }
}
