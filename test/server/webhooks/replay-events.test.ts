import { describe, expect, it } from 'vitest'
import type { Slices } from '../../../server/platform/lists/slices.ts'
import { byPartner } from '../../../server/security/actor.ts'
import type { ReplayRange } from '../../../server/webhooks/ports.ts'
import { replayEvents } from '../../../server/webhooks/replay-events.ts'
import { settle } from '../../support/clock.ts'
import { CLIENT, createMemoryQueue } from '../../support/webhooks/memory-queue.ts'

const ALL = { since: 0, until: undefined }
const BACKLOG = { after: 0, probeAt: undefined, replay: undefined }

type Deps = Parameters<typeof replayEvents>[0]

/** The verb with these webhooks in memory, and the ranges that it has stored. */
function verbWith(
  { webhook, events }: Pick<ReturnType<typeof createMemoryQueue>, 'webhook'> & Pick<Deps, 'events'>,
  { webhooks, ...more }: Partial<Omit<Deps, 'webhooks'>> & { webhooks?: Partial<Deps['webhooks']> } = {},
) {
  const replayed: [id: string, range: ReplayRange][] = []
  const verb = replayEvents({
    webhooks: {
      find: async (_, id) => webhook(id),
      backlog: async () => BACKLOG,
      replay: async () => undefined,
      replayRange: async (_, ...[id, range]) => replayed.push([id, range]) > 0,
      ...webhooks,
    },
    ...{ events, slices: { run: (_, slice) => slice() } satisfies Slices },
    ...{ changed: () => undefined, clock: { now: () => 0 }, ...more },
  })
  const replay = (id = 'wh_1', gone = new AbortController()) =>
    verb(byPartner(CLIENT), id, ALL, () => gone.signal)
  return { replay, replayed }
}

describe('the count of a range', () => {
  /** A log of 2,000 events, two webhooks, and slices that a test lets run one by one, or all. */
  function world() {
    const memory = createMemoryQueue()
    const { add, tell } = memory
    for (const id of ['wh_1', 'wh_2']) add(id)
    for (let n = 0; n < 2_000; n += 1) tell({ type: n % 2 === 0 ? 'bill.paid' : 'device.locked' })
    const held: (() => void)[] = []
    let [isHeld, count] = [true, 0]
    const slices: Slices = {
      async run(_, slice) {
        if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
        count += 1
        return slice()
      },
    }
    const { replay: replayUntil, replayed } = verbWith(memory, { slices })
    const gone = new AbortController()
    const replay = (id?: string) => replayUntil(id, gone)
    /** Lets those slices run that are held. */
    const next = async () => {
      await settle()
      for (const go of held.splice(0)) go()
    }
    const runAll = () => {
      isHeld = false
      return next()
    }
    return { replay, replayed, gone, next, runAll, count: () => count }
  }

  it('is one at a time for a webhook: another is refused until the first is over', async () => {
    const { replay, replayed, next, runAll } = world()
    const [first, other] = [replay(), replay('wh_2')]
    await next()
    await expect(replay()).rejects.toMatchObject({ kind: 'WEBHOOK_REPLAY_UNDER_WAY' })
    await runAll()
    expect([await first, await other]).toEqual([2_000, 2_000])
    expect(await replay()).toBe(2_000)
    expect(replayed.map(([id]) => id).sort()).toEqual(['wh_1', 'wh_1', 'wh_2'])
  })

  it('ends when the client has gone: nothing more is read, and nothing is sent', async () => {
    const { replay, replayed, gone, next, runAll, count } = world()
    const abandoned = replay()
    const refused = expect(abandoned).rejects.toMatchObject({ kind: 'RATE_LIMITED' })
    await next()
    gone.abort()
    await runAll()
    await refused
    expect(count()).toBeLessThanOrEqual(2)
    expect(replayed).toEqual([])
  })
})

it('sends a range of at most 100,000 events; a larger one is refused, with the time to cut it at', async () => {
  const { add, webhook } = createMemoryQueue()
  add('wh_1')
  const [most, type] = [100_000, 'bill.paid' as const]
  const head = { seq: most + 1 }
  const events: Deps['events'] = {
    find: async () => undefined,
    heads: async () => new Map([[CLIENT, head.seq]]),
    outlines: async (_, { after, limit }) =>
      Array.from({ length: Math.min(limit, head.seq - after) }, (_, n) => {
        const seq = after + n + 1
        return { seq, at: seq * 1_000, type, data: {} }
      }),
  }
  const { replay, replayed } = verbWith({ webhook, events })
  const until = new Date((most + 1) * 1_000).toISOString()
  await expect(replay()).rejects.toMatchObject({
    ...{ kind: 'WEBHOOK_REPLAY_TOO_LARGE' },
    details: [{ field: 'until', issue: expect.stringContaining(`send until ${until} first`) }],
  })
  expect(replayed).toEqual([])
  head.seq = most
  expect(await replay()).toBe(most)
  expect(replayed).toMatchObject([['wh_1', { upTo: most, count: most }]])
})

it.each([
  ['another one is being sent', { backlog: async () => ({ ...BACKLOG, replay: { count: 2, sent: 1 } }) }],
  ['another hub was first', { replayRange: async () => false }],
])('refuses a range while %s', async (_, webhooks) => {
  const memory = createMemoryQueue()
  memory.add('wh_1')
  memory.tell()
  const { replay } = verbWith(memory, { webhooks })
  await expect(replay()).rejects.toMatchObject({ kind: 'WEBHOOK_REPLAY_UNDER_WAY' })
})
