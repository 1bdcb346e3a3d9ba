import { expect, it } from 'vitest'
import { createCursors } from '../../../server/platform/lists/cursors.ts'
import { createSlices } from '../../../server/platform/lists/slices.ts'
import { createVault } from '../../../server/security/vault.ts'
import { listDeliveries } from '../../../server/webhooks/list-deliveries.ts'
import type { Delivery } from '../../../server/webhooks/webhook.ts'
import { TEST_MASTER_KEY } from '../../support/storage.ts'
import { CLIENT, createMemoryQueue } from '../../support/webhooks/memory-queue.ts'

const walk = () => ({ slices: createSlices(), cursors: createCursors(createVault(TEST_MASTER_KEY)) })

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
    ...walk(),
  })
  const page = await list(CLIENT, 'wh_1', { state: undefined }, { limit: 10 })
  expect(page.rows).toHaveLength(10)
  expect(limits).toEqual([4, 4, 2])
})

it('lists each event that waits once, however many of other types are between them, down to the first', async () => {
  const { add, webhook } = createMemoryQueue()
  add('wh_1', { types: ['bill.paid'] })
  // The seqs of one millisecond have no gaps. Between the last two are more than one slice looks at.
  const log = Array.from({ length: 300 }, (_, n) => {
    const type = n < 3 || n > 298 ? ('bill.paid' as const) : ('device.locked' as const)
    return { seq: n + 1, at: 0, type, data: {} }
  })
  const list = listDeliveries({
    webhooks: {
      find: async (_, id) => webhook(id),
      backlog: async () => ({ after: 0, probeAt: undefined, replay: undefined }),
      deliveries: async () => ({ rows: [], next: undefined }),
    },
    queue: { begun: async () => new Set<number>() },
    events: {
      outlinesBelow: async (_, { above, below, limit }) =>
        log
          .filter(({ seq }) => seq > above && seq < below)
          .toReversed()
          .slice(0, limit),
    },
    ...walk(),
  })
  const seqs: number[] = []
  let cursor: string | undefined
  do {
    const page = await list(CLIENT, 'wh_1', { state: undefined }, { limit: 1, cursor })
    seqs.push(...page.rows.map(({ seq }) => seq))
    cursor = page.next
  } while (cursor !== undefined)
  expect(seqs).toEqual([300, 3, 2, 1])
})

it.each([
  ['enabled', { held: true, nextAt: 9 }],
  // The hub has disabled it while it waited for its probe.
  ['disabled', { held: false, nextAt: 5 }],
] as const)(
  'what is pending of a webhook that is %s waits for its probe only when there is one',
  async (state, at) => {
    const { add, webhook } = createMemoryQueue()
    add('wh_1', { state })
    const row: Delivery = {
      ...{ webhookId: 'wh_1', seq: 1, eventId: 'evt_1', type: 'bill.paid', state: 'pending', step: 1 },
      ...{ nextAt: 5, attempts: [] },
    }
    const list = listDeliveries({
      webhooks: {
        find: async (_, id) => webhook(id),
        backlog: async () => ({ after: 1, probeAt: 9, replay: undefined }),
        deliveries: async () => ({ rows: [{ ...row, cursor: '1' }], next: undefined }),
      },
      queue: { begun: async () => new Set<number>() },
      events: { outlinesBelow: async () => [] },
      ...walk(),
    })
    const { rows } = await list(CLIENT, 'wh_1', { state: undefined }, { limit: 10 })
    expect(rows).toMatchObject([at])
  },
)
