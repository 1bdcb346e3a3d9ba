import { isoInstant } from '../../platform/clock.ts'
import { readPages } from '../../platform/page.ts'
import { cut, done, moreAfter, type Outcome, SHOWN, table } from './output.ts'
import type { Workspace } from './workspace.ts'

export interface StoreListOptions {
  client?: string
  terminal?: string
  name?: string
  /** All when absent, in JSON. */
  limit?: number
  after?: string
}

/** Lists the shops of all partners. Personal values (owner, accounts, phone) are not shown. */
export async function storeList(
  { storage }: Pick<Workspace, 'storage'>,
  options: StoreListOptions,
): Promise<Outcome> {
  const filter = { clientId: options.client, terminalID: options.terminal, storeName: options.name }
  const { rows, next } = await readPages((page) => storage.lists.stores.page(filter, page), {
    limit: options.limit ?? Number.MAX_SAFE_INTEGER,
    after: options.after,
  })
  const json = rows.map(({ store, createdAt, serials, cursor }) => ({
    storeId: store.id,
    partnerClientId: store.clientId,
    terminalID: store.terminalID,
    storeName: store.storeName,
    bankCode: store.bankCode,
    deviceSerials: serials,
    totalTransaction: String(store.totalTransaction),
    totalAmount: String(store.totalAmount),
    createdAt: isoInstant(createdAt),
    cursor,
  }))
  const shown = rows
    .slice(0, options.limit ?? SHOWN)
    .map(({ store, serials }) => [
      cut(store.terminalID, 12),
      cut(store.storeName, 20),
      cut(store.clientId, 12),
      serials.length > 1 ? `${serials[0]} +${serials.length - 1}` : (serials[0] ?? '-'),
      String(store.totalTransaction),
      String(store.totalAmount),
    ])
  const head = ['TILL', 'SHOP', 'PARTNER', 'SPEAKER', 'PAYMENTS', 'SUM']
  const lines = [table(head, shown, 'No such shop.')]
  const last = rows[shown.length - 1]
  if (last && (next !== undefined || rows.length > shown.length)) lines.push(moreAfter(last.cursor))
  return done(json, lines.join('\n'))
}
