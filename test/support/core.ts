import { type Core, type CoreDeps, createCore } from '../../server/core.ts'
import { createMetrics } from '../../server/operate/metrics.ts'
import { freeBytes } from '../../server/platform/disk.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import { createLog } from '../../server/platform/log.ts'
import { NO_PROXY } from '../../server/platform/net/address.ts'

/** The hub's core on a test's storage and clock. Everything else is as in a hub that serves, unless given. */
export function createTestCore(
  deps: Pick<CoreDeps, 'storage' | 'vault' | 'clock'> & Partial<CoreDeps>,
): Core {
  return createCore({
    ids: createRandomIds(),
    log: createLog('silent'),
    metrics: createMetrics(deps.clock),
    rate: { perSecond: 50, burst: 200 },
    anonymousRate: { perSecond: 20, burst: 100 },
    trustsProxy: NO_PROXY,
    readiness: async () => 'ready',
    diskFreeBytes: () => freeBytes('.'),
    ...deps,
  })
}
