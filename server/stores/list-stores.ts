import type { Slices } from '../platform/lists/slices.ts'
import { walkList } from '../platform/lists/walk.ts'
import type { Page } from '../platform/page.ts'
import type { StoreFilter, StoreLists, StoreReport } from './ports.ts'

/** Lists a partner's stores, those that were made last first. */
export function listStores({ lists, slices }: { lists: StoreLists; slices: Slices }) {
  return async function listStores(
    clientId: string,
    filter: Omit<StoreFilter, 'clientId'>,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<StoreReport>> {
    return walkList(slices, { list: 'stores', clientId, ...page }, (asked) =>
      lists.page({ ...filter, clientId }, asked),
    )
  }
}
