import { formatAmount } from '../../../protocol/money/amount.ts'
import { isoInstant } from '../../platform/clock.ts'
import { type ListOptions, listing } from './listing.ts'
import { cut, type Outcome } from './output.ts'
import type { Workspace } from './workspace.ts'

/** Lists the shops of all partners. Personal values (owner, accounts, phone) are not shown. */
export function storeList(
  { storage }: Pick<Workspace, 'storage'>,
  options: ListOptions & { terminal?: string; name?: string },
): Promise<Outcome> {
  const filter = { clientId: options.client, terminalID: options.terminal, storeName: options.name }
  return listing((page) => storage.lists.stores.page(filter, page), options, {
    head: ['TILL', 'SHOP', 'PARTNER', 'SPEAKER', 'PAYMENTS', 'SUM'],
    cells: ({ store, serials }) => [
      cut(store.terminalID, 12),
      cut(store.storeName, 20),
      cut(store.clientId, 12),
      serials.length > 1 ? `${serials[0]} +${serials.length - 1}` : (serials[0] ?? '-'),
      String(store.totalTransaction),
      formatAmount(store.totalAmount),
    ],
    none: 'No such shop.',
    json: ({ store, createdAt, serials }) => ({
      storeId: store.id,
      partnerClientId: store.clientId,
      terminalID: store.terminalID,
      storeName: store.storeName,
      bankCode: store.bankCode,
      deviceSerials: serials,
      totalTransaction: String(store.totalTransaction),
      totalAmount: String(store.totalAmount),
      createdAt: isoInstant(createdAt),
    }),
  })
}
