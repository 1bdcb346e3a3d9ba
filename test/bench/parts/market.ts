import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createPartner } from '../../../server/partners/manage-partners.ts'
import { canonicalString } from '../../../server/payments/canonical-string.ts'
import { sign } from '../../../server/payments/checksum.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { readMetrics } from '../../force/parts/metrics.ts'
import { makeShops } from '../../force/parts/world.ts'
import { OPERATOR } from '../../support/actors.ts'
import { accessTokenOf } from '../../support/http/access-token.ts'
import { type OwnHub, startOwnHub } from '../../support/processes/own-hub.ts'
import { TEST_MASTER_KEY } from '../../support/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import type { Target } from './load/load.ts'
import { type Memory, memory, TELLING_MEMORY } from './memory.ts'
import type { Device } from './mqtt/pocket-speaker.ts'

/** The hub writes its metrics at most once in this time. */
const METRICS_SHARED_MS = 1_000

/** A shop and its speaker. */
export interface Shop extends Device {
  terminalID: string
}

export interface Partner {
  clientId: string
  clientSecret: string
}

/** A hub in its own process with its data in a database, a partner, and the partner's shops. */
export interface Market {
  http: string
  mqtt: string
  /** Undefined without HUB_BOX_PORT. */
  box: string | undefined
  /** Where the console is. */
  admin: string
  pid: number | undefined
  dataDir: string
  /** How many commits the hub has made. */
  commits(): Promise<number>
  /** A figure of the hub's metrics, by its name and labels. NaN while there is none. */
  figure(name: string): Promise<number>
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
export const MASTER_KEY = TEST_MASTER_KEY
/** The default level of the log. All speakers connect from one address at the same time. */
const SETTINGS = { HUB_LOG_LEVEL: 'info', HUB_MQTT_CONNECTS_PER_SECOND: '100000' }

/** How a hub is started. */
export interface Start {
  env?: Record<string, string>
  /** The file that replaces the hub's main file. */
  main?: string
}

/** On SQLite, with a new database. `makeMore` gives the partner other shops. */
export async function openMarket(
  { shops, makeMore }: { shops: number; makeMore?: (storage: Storage, clientId: string) => Promise<void> },
  start: Start = {},
): Promise<Market> {
  const dataDir = mkdtempSync(join(tmpdir(), 'soundbox-bench-'))
  const options = storageOptions({ vault: createVault(MASTER_KEY) })
  const storage = openSqliteStorage(join(dataDir, 'hub.db'), options)
  const { partner, made } = await fill(storage, shops)
  await makeMore?.(storage, partner.clientId)
  storage.close()
  return andRemove(dataDir, await openMarketIn(dataDir, partner, made, start))
}

/** On a filled database of PostgreSQL. */
export async function openMarketAt(
  url: string,
  { partner, shops }: { partner: Partner; shops: readonly Shop[] },
  start: Start = {},
): Promise<Market> {
  const dataDir = mkdtempSync(join(tmpdir(), 'soundbox-bench-'))
  const env = { ...start.env, HUB_DATABASE_URL: url }
  return andRemove(dataDir, await openMarketIn(dataDir, partner, shops, { ...start, env }))
}

function andRemove(dataDir: string, market: Market): Market {
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
  start: Start = {},
): Promise<Market> {
  const hub = await startHubIn(dataDir, start)
  const token = await accessTokenOf(hub.http, partner)
  return {
    http: hub.http,
    mqtt: hub.mqtt,
    box: hub.box,
    admin: hub.admin(),
    pid: hub.pid(),
    dataDir,
    commits: () => figureOf(hub, 'hub_commit_writes_count'),
    figure: (name) => figureOf(hub, name),
    memory: async () => memory.parse(await hub.ask({})),
    shops,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
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
export function startHubIn(dataDir: string, { env, main = MAIN }: Start = {}): Promise<OwnHub> {
  const launch = [process.execPath, ...TELLING_MEMORY, main]
  return startOwnHub({ dataDir, masterKey: MASTER_KEY, env: { ...SETTINGS, ...env }, launch })
}

export function callbackUrl({ http }: Pick<Market, 'http'>): string {
  return `${http}/api/v1/partner/payment/callback`
}

/** Callbacks for the shops of a market in turn, each with another amount. Its `others` are hubs on the same database. */
export function callbacksTo(market: Market, others: readonly Market[] = []): Target {
  const { headers, shops, body } = market
  const pids = [market, ...others].map(({ pid }) => pid)
  const alsoAt = others.map(callbackUrl)
  return { url: callbackUrl(market), alsoAt, pids, headers, body: bodiesInTurn(shops, body) }
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

/** Makes a partner with so many shops, so many of them at once. */
export async function fill(
  storage: Storage,
  count: number,
  atOnce?: number,
): Promise<{ partner: Partner; made: Shop[] }> {
  const ids = createRandomIds()
  const partner = await createPartner(
    { by: OPERATOR, partners: storage.partners, clock: systemClock, ids },
    'Bench',
  )
  return { partner, made: await makeShops(storage, partner.clientId, count, { atOnce }) }
}

async function figureOf(hub: OwnHub, name: string): Promise<number> {
  await sleep(METRICS_SHARED_MS * 1.1)
  return (await readMetrics(hub))(name)
}
