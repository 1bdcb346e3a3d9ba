import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
import { type Memory, memory, TELLING_MEMORY } from './memory.ts'
import type { Device } from './pocket-speaker.ts'

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
/** All speakers connect from one address at the same time. */
const AT_ONCE = { HUB_MQTT_CONNECTS_PER_SECOND: '100000' }

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
  const openedAt = Date.now()
  let reported = 0
  return {
    http: hub.http,
    mqtt: hub.mqtt,
    pid: hub.pid(),
    memory: async () => memory.parse(await hub.ask({})),
    shops,
    headers,
    body({ terminalID }, transactionAmount) {
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
      const checkSum = sign(partner.clientSecret, canonicalString(fields)).toString('hex')
      return JSON.stringify({ ...fields, checkSum })
    },
    stop: () => hub.stop(),
  }
}

/** Resolves when the hub is ready. */
export function startHubIn(dataDir: string): Promise<OwnHub> {
  return startOwnHub({ dataDir, masterKey: MASTER_KEY, env: AT_ONCE, launch: LAUNCH })
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
