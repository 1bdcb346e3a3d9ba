import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { createPartner } from '../../../server/partners/manage-partners.ts'
import { canonicalString } from '../../../server/payments/canonical-string.ts'
import { sign } from '../../../server/payments/checksum.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { createShop } from '../../server/storage/shop.ts'
import { type OwnHub, startOwnHub } from '../../support/processes/own-hub.ts'
import { TEST_MASTER_KEY } from '../../support/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import type { Target } from './load/load.ts'
import { type Memory, memory, TELLING_MEMORY } from './memory.ts'
import type { Device } from './mqtt/pocket-speaker.ts'

/** The hub writes its metrics at most once in this time. */
const METRICS_SHARED_MS = 1_000

const token = z.object({ accessToken: z.string() })

/** A shop and its speaker. */
export interface Shop extends Device {
  terminalID: string
}

export interface Partner {
  clientId: string
  clientSecret: string
}

/** A hub in its own process with its data on disk, a partner, and the partner's shops. */
export interface Market {
  http: string
  mqtt: string
  pid: number | undefined
  /** How many commits the hub has made. */
  commits(): Promise<number>
  /** The hub's memory after a garbage collection. */
  memory(): Promise<Memory>
  shops: readonly Shop[]
  /** The headers of callbacks. */
  headers: Record<string, string>
  /** The signed body of a new payment. */
  body(shop: Pick<Shop, 'terminalID'>, amount: string): string
  stop(): Promise<void>
}

const MAIN = fileURLToPath(new URL('../../../server/main.ts', import.meta.url))
const LAUNCH = [process.execPath, ...TELLING_MEMORY, MAIN]
export const MASTER_KEY = TEST_MASTER_KEY
/** The default level of the log. All speakers connect from one address at the same time. */
const SETTINGS = { HUB_LOG_LEVEL: 'info', HUB_MQTT_CONNECTS_PER_SECOND: '100000' }

/** With a new database. */
export async function openMarket({ shops }: { shops: number }): Promise<Market> {
  const dataDir = mkdtempSync(join(tmpdir(), 'soundbox-bench-'))
  const { partner, made } = await fill(join(dataDir, 'hub.db'), shops)
  const market = await openMarketIn(dataDir, partner, made)
  return {
    ...market,
    async stop() {
      await market.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** With a filled database under `MASTER_KEY`. The data folder stays. */
export async function openMarketIn(
  dataDir: string,
  partner: Partner,
  shops: readonly Shop[],
): Promise<Market> {
  const hub = await startHubIn(dataDir)
  const headers = await logIn(hub.http, partner)
  return {
    http: hub.http,
    mqtt: hub.mqtt,
    pid: hub.pid(),
    commits: () => commitsOf(hub.admin()),
    memory: async () => memory.parse(await hub.ask({})),
    shops,
    headers,
    body: createBodies(partner),
    stop: () => hub.stop(),
  }
}

/** Writes the signed bodies of new payments. */
export function createBodies({ clientSecret }: Pick<Partner, 'clientSecret'>): Market['body'] {
  const openedAt = Date.now()
  let reported = 0
  return ({ terminalID }, transactionAmount) => {
    reported += 1
    const fields = {
      terminalID,
      bankCode: 'MB',
      billNumber: '',
      transactionAmount,
      notice: 'Thanh toan',
      payDate: '2026-11-20T10:15:30.000Z',
      traceTransfer: String(reported),
      // Unique: not used by the filled database or by another market in this folder.
      ftCode: `CALL${openedAt}-${reported}`,
    }
    const checkSum = sign(clientSecret, canonicalString(fields)).toString('hex')
    return JSON.stringify({ ...fields, checkSum })
  }
}

/** Resolves when the hub is ready. */
export function startHubIn(dataDir: string): Promise<OwnHub> {
  return startOwnHub({ dataDir, masterKey: MASTER_KEY, env: SETTINGS, launch: LAUNCH })
}

export function callbackUrl({ http }: Market): string {
  return `${http}/api/v1/partner/payment/callback`
}

/** Callbacks for the shops of a market in turn, each with another amount. */
export function callbacksTo(market: Market): Target {
  const { pid, headers, shops, body } = market
  return { url: callbackUrl(market), pids: [pid], headers, body: bodiesInTurn(shops, body) }
}

/** The bodies of payments to these shops in turn, each with another amount. */
export function bodiesInTurn<S>(
  shops: readonly S[],
  body: (shop: S, amount: string) => string,
): () => string {
  let count = 0
  return () => {
    const shop = shops[count % shops.length]
    if (!shop) throw new Error('a market without shops')
    count += 1
    return body(shop, String(10_000 + count))
  }
}

async function fill(file: string, count: number) {
  const ids = createRandomIds()
  const storage = openSqliteStorage(file, storageOptions({ vault: createVault(MASTER_KEY), ids }))
  const shop = createShop(storage)
  const partner = await createPartner(
    { partners: storage.partners, clock: systemClock, ids: shop.ids },
    'Bench',
  )
  const terminals = Array.from({ length: count }, (_, number) => `TILL-${number}`)
  const made = await Promise.all(
    terminals.map(async (terminalID) => ({
      terminalID,
      ...(await shop.speaker(partner.clientId, terminalID, Date.now())),
    })),
  )
  storage.close()
  return { partner, made }
}

async function logIn(http: string, partner: Partner) {
  const response = await fetch(`${http}/api/v1/partner/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ clientId: partner.clientId, clientSecret: partner.clientSecret }),
  })
  const { accessToken } = token.parse(await response.json())
  return { 'Content-Type': 'application/json', Authorization: `Bearer ${accessToken}` }
}

async function commitsOf(admin: string): Promise<number> {
  await sleep(METRICS_SHARED_MS * 1.1)
  const text = await (await fetch(`${admin}/metrics`)).text()
  return Number(/^hub_commit_writes_count (\d+)$/m.exec(text)?.[1])
}
