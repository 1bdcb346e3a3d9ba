import { onTestFinished } from 'vitest'
import { joinCluster } from '../../../../server/cluster/postgres/cluster.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createLog } from '../../../../server/platform/log.ts'
import type { BucketSize } from '../../../../server/platform/token-buckets.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openStage, type Stage } from '../../../server/delivery/stage.ts'
import type { TestPostgres } from '../../../support/postgres.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { stillClock } from './still-time.ts'

/** A hub with its part in the cluster. Its machine's time stands still, and so must that of the database. */
export async function openHub({ open }: TestPostgres, url: string, beside?: Stage, rate?: BucketSize) {
  const ids = createRandomIds()
  const hub = ids.uuid()
  const storage = await open(url, { hub })
  const cluster = await joinCluster(url, {
    ...{ hub, version: '0', vault: createVault(TEST_MASTER_KEY), ids, clock: stillClock },
    ...{ log: createLog('silent'), count: () => undefined },
  })
  onTestFinished(cluster.leave)
  const stage = await openStage({ storage, cluster, ...(beside && { beside }), ...(rate && { rate }) })
  return { ...stage, cluster }
}
