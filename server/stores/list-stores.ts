import type { Cursors } from '../platform/lists/cursors.ts'
import type { Slices } from '../platform/lists/slices.ts'
import { walkList } from '../platform/lists/walk.ts'
import type { Page } from '../platform/page.ts'
import type { StoreFilter, StoreLists, StoreReport } from './ports.ts'

/** Lists a partner's stores, those that were made last first. */
export function listStores({ lists, ...walk }: { lists: StoreLists; slices: Slices; cursors: Cursors }) {
  return async function listStores(
    clientId: string,
    filter: Omit<StoreFilter, 'clientId'>,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<StoreReport>> {
    return walkList(walk, { list: 'stores', clientId, ...page }, (asked) =>
      lists.page({ ...filter, clientId }, asked),
    )
  }
}
