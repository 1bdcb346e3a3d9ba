import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { PaymentView } from '../../../../server/payments/ports.ts'
import { allPages } from '../../../../server/platform/page.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import type { Payment } from '../../../support/proof/processor.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import type { World } from '../world.ts'
import type { Files } from './record.ts'

const PAGE = 500

/** What the hub's callers know. */
export interface Known extends Pick<World, 'clientId' | 'masterKey' | 'shops'> {
  /** All payments that were reported, by code. */
  reported: ReadonlyMap<string, Payment>
  /** The codes of those that had got 200 before the crash. */
  answered: ReadonlySet<string>
}

/**
 * Opens the files that a crash has left with the product, as the hub does at its start. Resolves with a sentence for
 * each promise that they break.
 */
export async function judgeState(folder: string, files: Files, known: Known): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
  const database = join(folder, 'hub.db')
  try {
    const storage = openSqliteStorage(database, storageOptions({ vault: createVault(known.masterKey) }))
    try {
      await storage.resume()
      const views: PaymentView[] = []
      for await (const rows of allPages((page) => storage.lists.payments.page({}, page), PAGE))
        views.push(...rows)
      const counted = await Promise.all(
        known.shops.map(async ({ storeId }) => storage.stores.find(known.clientId, storeId)),
      )
      const totals = counted.flatMap((store) => wrongTotals(store, views))
      return [...wrongPayments(views, known), ...totals, ...wrongIndexes(database)]
    } finally {
      storage.close()
    }
  } catch (error) {
    return [`it can't be opened: ${String(error)}`]
  }
}

/** Every row is in every index: what one of them lacks would be lost later. */
function wrongIndexes(database: string): string[] {
  const sqlite = new Database(database)
  try {
    const found = sqlite.pragma('integrity_check', { simple: true })
    return found === 'ok' ? [] : [`the database is damaged: ${found}`]
  } finally {
    sqlite.close()
  }
}

function wrongPayments(views: readonly PaymentView[], { reported, answered }: Known): string[] {
  const stored = Map.groupBy(views, ({ payment }) => payment.ftCode)
  const lost = [...answered]
    .filter((ftCode) => !stored.has(ftCode))
    .map((ftCode) => `${ftCode} got 200 and is lost`)
  const wrong = [...stored].flatMap(([ftCode, same]) => {
    const [view] = same
    const payment = reported.get(ftCode)
    if (same.length > 1) return [`${ftCode} is there ${same.length} times`]
    if (view?.payment.amount !== payment?.amount || view?.payment.terminalID !== payment?.terminalID)
      return [`${ftCode} is not what was reported`]
    return view?.announcements.length === 1
      ? []
      : [`${ftCode} has ${view?.announcements.length} announcements`]
  })
  return [...lost, ...wrong]
}

function wrongTotals(
  store: { id: string; terminalID: string; totalTransaction: bigint; totalAmount: bigint } | undefined,
  views: readonly PaymentView[],
): string[] {
  if (!store) return ['a store is lost']
  const own = views.filter(({ storeId }) => storeId === store.id)
  const sum = own.reduce((total, { payment }) => total + BigInt(payment.amount), 0n)
  const isRight = store.totalTransaction === BigInt(own.length) && store.totalAmount === sum
  return isRight
    ? []
    : [`${store.terminalID} counts ${store.totalTransaction} payments and has ${own.length}`]
}
