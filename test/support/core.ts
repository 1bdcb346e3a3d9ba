import { type Core, type CoreDeps, createCore } from '../../server/core.ts'
import { createMetrics } from '../../server/operate/metrics.ts'
import { freeBytes } from '../../server/platform/disk.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import { createLog } from '../../server/platform/log.ts'
import { NO_NETWORK, NO_PROXY } from '../../server/platform/net/address.ts'

/** Every host name has it, unless a test says otherwise: no test asks a name server. */
const PUBLIC = '93.184.215.14'

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
    addresses: { resolve: async () => [PUBLIC], allow: NO_NETWORK },
    // Only a test that starts the dispatcher sends anything.
    post: async () => undefined,
    random: () => 0.5,
    isBusy: () => false,
    diskFreeBytes: () => freeBytes('.'),
    retentionWaits: () => false,
    clockIsBehind: () => false,
    ...deps,
  })
}
