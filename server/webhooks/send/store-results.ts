import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/log.ts'
import type { WebhookQueue } from '../ports.ts'
import type { Endpoint, Snapshot } from './endpoint/endpoint.ts'

/** Deliveries of one commit, so that payments do not wait for it. */
const MOST_STORED = 200

const WHY = { gone: 'it answered 410', failing: 'it has only failed for five days' } as const

/** Stores what the attempts of endpoints have changed. `withFeeds`: also of those of which only feeds have moved. */
export async function storeResults(
  { queue, clock, log }: { queue: Pick<WebhookQueue, 'store'>; clock: Clock; log: Logger },
  endpoints: readonly Endpoint[],
  withFeeds: boolean,
) {
  for (const batch of batchesOf(endpoints, withFeeds)) {
    const progress = batch.map(({ snapshot: { count: _, ...one } }) => one)
    await queue.store(progress, clock.now())
    for (const { endpoint, snapshot } of batch) {
      endpoint.stored(snapshot)
      const { id: webhookId, clientId: partner } = endpoint.webhook
      const { disabled } = snapshot
      if (disabled !== undefined) log.warn({ webhookId, partner }, `a webhook is disabled: ${WHY[disabled]}`)
    }
  }
}

/** What comes in while a batch is stored is in the next one, if its endpoint is. */
function* batchesOf(endpoints: readonly Endpoint[], withFeeds: boolean) {
  let batch: { endpoint: Endpoint; snapshot: Snapshot }[] = []
  let count = 0
  for (const endpoint of endpoints) {
    const snapshot = endpoint.snapshot(withFeeds)
    if (!snapshot) continue
    batch.push({ endpoint, snapshot })
    count += snapshot.count
    if (count < MOST_STORED) continue
    yield batch
    batch = []
    count = 0
  }
  if (batch.length > 0) yield batch
}
