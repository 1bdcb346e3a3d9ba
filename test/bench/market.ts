import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { systemClock } from '../../server/clock.ts'
import { createRandomIds } from '../../server/ids.ts'
import { createPartner } from '../../server/partners/manage-partners.ts'
import { canonicalString } from '../../server/payments/canonical-string.ts'
import { sign } from '../../server/payments/checksum.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { createVault } from '../../server/vault.ts'
import { createShop, type LinkedSpeaker } from '../server/storage/shop.ts'
import { startOwnHub } from '../support/own-hub.ts'
import { type Memory, memory, TELLING_MEMORY } from './memory.ts'

const token = z.object({ accessToken: z.string() })

export interface Shop extends LinkedSpeaker {
  terminalID: string
}

/** A hub in a process of its own, on a disk of the machine, with a partner and its shops. */
export interface Market {
  http: string
  mqtt: string
  pid: number | undefined
  /** What the hub holds once its garbage is collected. */
  memory(): Promise<Memory>
  shops: readonly Shop[]
  /** Of requests that report payments. */
  headers: Record<string, string>
  /** The signed body of a payment that was never reported before. */
  body(shop: Shop, amount: string): string
  stop(): Promise<void>
}

export interface MarketOptions {
  shops: number
  /** Fills the database before the hub is started on it. */
  grow?(file: string, masterKey: Buffer, clientId: string): Promise<void>
}

const MAIN = fileURLToPath(new URL('../../server/main.ts', import.meta.url))
const LAUNCH = [process.execPath, ...TELLING_MEMORY, MAIN]
const MASTER_KEY = Buffer.alloc(32, 7)
/** All speakers come from one address here, and at once. */
const AT_ONCE = { HUB_MQTT_CONNECTS_PER_SECOND: '100000' }

export async function openMarket({ shops, grow }: MarketOptions): Promise<Market> {
  const dataDir = mkdtempSync(join(tmpdir(), 'soundbox-bench-'))
  const file = join(dataDir, 'hub.db')
  const { partner, made } = await fill(file, shops)
  await grow?.(file, MASTER_KEY, partner.clientId)
  const hub = await startOwnHub({ dataDir, masterKey: MASTER_KEY, env: AT_ONCE, launch: LAUNCH })
  const headers = await logIn(hub.http, partner)
  let reported = 0
  return {
    http: hub.http,
    mqtt: hub.mqtt,
    pid: hub.pid(),
    memory: async () => memory.parse(await hub.ask({})),
    shops: made,
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
        ftCode: `FT${reported}`,
      }
      const checkSum = sign(partner.clientSecret, canonicalString(fields)).toString('hex')
      return JSON.stringify({ ...fields, checkSum })
    },
    async stop() {
      await hub.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function fill(file: string, count: number) {
  const ids = createRandomIds()
  const storage = openSqliteStorage(file, { vault: createVault(MASTER_KEY), ids })
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

async function logIn(http: string, partner: { clientId: string; clientSecret: string }) {
  const response = await fetch(`${http}/api/v1/partner/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ clientId: partner.clientId, clientSecret: partner.clientSecret }),
  })
  const { accessToken } = token.parse(await response.json())
  return { 'Content-Type': 'application/json', Authorization: `Bearer ${accessToken}` }
}
