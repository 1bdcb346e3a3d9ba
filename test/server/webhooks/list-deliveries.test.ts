import { expect, it } from 'vitest'
import { createCursors } from '../../../server/platform/lists/cursors.ts'
import { createSlices } from '../../../server/platform/lists/slices.ts'
import { createVault } from '../../../server/security/vault.ts'
import { listDeliveries } from '../../../server/webhooks/list-deliveries.ts'
import type { Backlog, Delivery } from '../../../server/webhooks/webhook.ts'
import { TEST_MASTER_KEY } from '../../support/storage.ts'
import { CLIENT, createMemoryQueue } from '../../support/webhooks/memory-queue.ts'

type Deps = Parameters<typeof listDeliveries>[0]

/** Lists the deliveries of `wh_1`, for which the storage has these. */
function world(
  {
    deliveries,
    outlinesBelow = async () => [],
  }: Pick<Deps['webhooks'], 'deliveries'> & Partial<Deps['events']>,
  webhook: Parameters<ReturnType<typeof createMemoryQueue>['add']>[1] = {},
  backlog: Partial<Backlog> = {},
) {
  const memory = createMemoryQueue()
  memory.add('wh_1', webhook)
  const list = listDeliveries({
    webhooks: {
      find: async (_, id) => memory.webhook(id),
      backlog: async () => ({ after: 0, probeAt: undefined, replay: undefined, ...backlog }),
      deliveries,
    },
    queue: { begun: async () => new Set<number>() },
    events: { outlinesBelow },
    ...{ slices: createSlices(), cursors: createCursors(createVault(TEST_MASTER_KEY)) },
  })
  return (page: { limit: number; cursor?: string | undefined }) =>
    list(CLIENT, 'wh_1', { state: undefined }, page)
}

const NO_ROWS = async () => ({ rows: [], next: undefined })
/** A delivery, unless a test says otherwise. */
const row = (change: Partial<Delivery>): Delivery => ({
  ...{ webhookId: 'wh_1', seq: 1, eventId: 'evt_1', type: 'bill.paid', state: 'pending', step: 1 },
  ...{ nextAt: 5, attempts: [], ...change },
})

it('reads few rows in a slice: each may have 20 attempts', async () => {
  const limits: number[] = []
  const list = world({
    async deliveries(_id, _filter, { limit, after = '1000' }) {
      limits.push(limit)
      const rows = Array.from({ length: limit }, (_, n) => {
        const seq = Number(after) - n - 1
        return { ...row({ seq, state: 'failed', nextAt: undefined }), cursor: String(seq) }
      })
      return { rows, next: rows.at(-1)?.cursor }
    },
  })
  expect((await list({ limit: 10 })).rows).toHaveLength(10)
  expect(limits).toEqual([4, 4, 2])
})

it('lists each event that waits once, however many of other types are between them, down to the first', async () => {
  // The seqs of one millisecond have no gaps. Between the last two are more than one slice looks at.
  const log = Array.from({ length: 300 }, (_, n) => {
    const type = n < 3 || n > 298 ? ('bill.paid' as const) : ('device.locked' as const)
    return { seq: n + 1, at: 0, type, data: {} }
  }).toReversed()
  const list = world(
    {
      deliveries: NO_ROWS,
      outlinesBelow: async (_, { above, below, limit }) =>
        log.filter(({ seq }) => seq > above && seq < below).slice(0, limit),
    },
    { types: ['bill.paid'] },
  )
  const seqs: number[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: 1, cursor })
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
    const deliveries = async () => ({ rows: [{ ...row({}), cursor: '1' }], next: undefined })
    const list = world({ deliveries }, { state }, { after: 1, probeAt: 9 })
    expect((await list({ limit: 10 })).rows).toMatchObject([at])
  },
)
