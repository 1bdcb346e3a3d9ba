import type { Cursors } from '../../platform/lists/cursors.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import { walkList } from '../../platform/lists/walk.ts'
import type { Page } from '../../platform/page.ts'
import type { DeviceReport } from '../device.ts'
import type { DeviceFilter, DeviceLists } from '../ports.ts'

/** Lists a partner's devices, those that were made last first. `hubSince` is the start of this hub. */
export function listDevices({
  lists,
  hubSince,
  ...walk
}: {
  lists: Pick<DeviceLists, 'page'>
  slices: Slices
  cursors: Cursors
  hubSince: number
}) {
  return async function listDevices(
    clientId: string,
    filter: Pick<DeviceFilter, 'serialPrefix' | 'storeId' | 'connected' | 'active'>,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<DeviceReport>> {
    const own = { ...filter, clientId, revoked: false }
    return walkList(walk, { list: 'devices', clientId, ...page }, (asked) => lists.page(own, hubSince, asked))
  }
}
