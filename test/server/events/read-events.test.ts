import { expect, it } from 'vitest'
import type { EventType } from '../../../server/events/event.ts'
import { readEvents } from '../../../server/events/read-events.ts'
import type { Slices } from '../../../server/platform/lists/slices.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { CLIENT, createMemoryQueue } from '../../support/webhooks/memory-queue.ts'

/** A log of which every read must be in a slice of its own. */
function world(wait: (tell: ReturnType<typeof createMemoryQueue>['tell']) => boolean = () => false) {
  const { events, tell } = createMemoryQueue()
  const owners: string[] = []
  let reads = 0
  const slices: Slices = {
    async run(owner, slice) {
      owners.push(owner)
      const before = reads
      const result = await slice()
      expect(reads - before).toBe(1)
      return result
    },
  }
  const page: typeof events.page = (...args) => {
    reads += 1
    return events.page(...args)
  }
  const waits = { wait: async () => wait(tell) }
  const verb = readEvents({ events: { page }, slices, waits, clock: createVirtualClock() })
  const read = (after: number, types?: EventType[], waitMs = 0) =>
    verb(CLIENT, { after, types, limit: 50, waitMs }, () => new AbortController().signal)
  return { tell, read, owners, reads: () => reads }
}

it('reads in slices, a bounded number for one request, and its next moves over what matches nothing', async () => {
  const { tell, read, owners, reads } = world()
  for (let n = 0; n < 3_000; n += 1) tell()
  const wanted = tell({ type: 'bill.paid' })
  let [after, requests] = [0, 0]
  for (;;) {
    const before = reads()
    const { events, next } = await read(after, ['bill.paid'])
    expect(reads() - before).toBeLessThanOrEqual(5)
    requests += 1
    if (events.length > 0) {
      expect(events).toEqual([wanted])
      break
    }
    expect(next).toBeGreaterThan(after)
    after = next
  }
  expect(requests).toBeGreaterThan(2)
  expect(owners).toEqual(Array.from({ length: reads() }, () => CLIENT))
})

it('waits on while events of other types come', async () => {
  let waits = 0
  const { read } = world((tell) => {
    waits += 1
    tell({ type: waits < 20 ? 'device.locked' : 'bill.paid' })
    return true
  })
  const { events } = await read(0, ['bill.paid'], 30_000)
  expect([waits, events.map(({ type }) => type)]).toEqual([20, ['bill.paid']])
})
