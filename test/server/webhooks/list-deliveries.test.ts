import { expect, it } from 'vitest'
import { createCursors } from '../../../server/platform/lists/cursors.ts'
import { createSlices } from '../../../server/platform/lists/slices.ts'
import { createVault } from '../../../server/security/vault.ts'
import { listDeliveries } from '../../../server/webhooks/list-deliveries.ts'
import { TEST_MASTER_KEY } from '../../support/storage.ts'
import { CLIENT, createMemoryQueue } from '../../support/webhooks/memory-queue.ts'

it('reads few rows in a slice: each may have 20 attempts', async () => {
  const { add, webhook } = createMemoryQueue()
  add('wh_1')
  const limits: number[] = []
  const list = listDeliveries({
    webhooks: {
      find: async (_, id) => webhook(id),
      backlog: async () => ({ after: 0, probeAt: undefined, replay: undefined }),
      async deliveries(_id, _filter, { limit, after = '1000' }) {
        limits.push(limit)
        const rows = Array.from({ length: limit }, (_, n) => ({
          ...({
            webhookId: 'wh_1',
            seq: Number(after) - n - 1,
            eventId: 'evt_1',
            type: 'bill.paid',
            state: 'failed',
            step: 11,
          } as const),
          ...{ nextAt: undefined, attempts: [], cursor: String(Number(after) - n - 1) },
        }))
        return { rows, next: rows.at(-1)?.cursor }
      },
    },
    queue: { begun: async () => new Set<number>() },
    events: { outlinesBelow: async () => [] },
    slices: createSlices(),
    cursors: createCursors(createVault(TEST_MASTER_KEY)),
  })
  const page = await list(CLIENT, 'wh_1', { state: undefined }, { limit: 10 })
  expect(page.rows).toHaveLength(10)
  expect(limits).toEqual([4, 4, 2])
})
