import { expect, it } from 'vitest'
import { UNDER_WAY } from '../../../../server/webhooks/send/endpoint/concurrency-limit.ts'
import { Endpoint } from '../../../../server/webhooks/send/endpoint/endpoint.ts'
import type { Item } from '../../../../server/webhooks/send/endpoint/feed-reader.ts'
import { createLanes, MOST_OF_PARTNER, MOST_SOCKETS } from '../../../../server/webhooks/send/lanes.ts'
import { createMemoryQueue } from '../../../support/webhooks/memory-queue.ts'

const BEYOND = UNDER_WAY.most - UNDER_WAY.least

/** Endpoints that always have something to send, and the lanes in which they do. Each round answers all requests. */
function world() {
  const lanes = createLanes()
  const { add } = createMemoryQueue()
  const endpoints: Endpoint[] = []
  let begun: { endpoint: Endpoint; item: Item; at: number }[] = []
  let elapsed = 0
  let seq = 0

  function fill(endpoint: Endpoint) {
    for (const feed of endpoint.feeds) {
      const events = Array.from({ length: UNDER_WAY.most + 1 }, () => {
        seq += 1
        return { id: `${seq}`, seq, type: 'device.locked' as const, at: 0, data: {} }
      })
      endpoint.addNew(feed, feed.readTo, events, seq)
    }
  }

  function serve(some = endpoints) {
    for (const endpoint of some) lanes.place(endpoint, elapsed)
    lanes.pump(elapsed, (endpoint) => {
      const item = endpoint.take(elapsed)
      if (item) begun.push({ endpoint, item, at: elapsed })
      return item !== undefined
    })
  }

  return {
    lanes,
    /** As the endpoints know it. */
    underWay: () => endpoints.reduce((all, endpoint) => all + endpoint.underWay, 0),
    add(clientId: string): Endpoint {
      const endpoint = new Endpoint(add(`${clientId}-${endpoints.length}`, { clientId }), {
        random: () => 0.5,
        isClockDoubted: () => false,
        isBusy: () => false,
      })
      fill(endpoint)
      endpoints.push(endpoint)
      return endpoint
    },
    serve: () => serve(),
    /** Time passes without a reply. */
    hang(ms: number) {
      elapsed += ms
      serve()
    },
    /** All that are under way are answered 50 ms later. */
    rounds(count: number) {
      for (let round = 0; round < count; round += 1) {
        elapsed += 50
        const ended = begun
        begun = []
        for (const { endpoint, item, at } of ended) {
          lanes.ended(endpoint)
          const attempt = { at, ms: elapsed - at, status: 204, error: undefined, reply: '' }
          endpoint.finish(item, attempt, undefined, elapsed)
          const progress = endpoint.progress(true)
          if (progress) endpoint.stored(progress)
          serve([endpoint])
        }
        for (const endpoint of endpoints) fill(endpoint)
        serve()
      }
    },
  }
}

it('have so many requests under way as they have places, over all and for each partner', () => {
  const { lanes, add, serve, rounds } = world()
  const own = Array.from({ length: 3 }, () => add('many'))
  const others = Array.from({ length: 10 }, (_, n) => add(`one-${n}`))
  serve()
  expect(lanes.underWay()).toBe(13 * UNDER_WAY.least)
  rounds(150)
  expect(3 * BEYOND).toBeGreaterThan(MOST_OF_PARTNER.beyond)
  expect(10 * BEYOND).toBeGreaterThan(MOST_SOCKETS.beyond)
  const sum = (endpoints: Endpoint[]) => endpoints.reduce((all, { underWay }) => all + underWay, 0)
  expect(sum(own)).toBeLessThanOrEqual(3 * UNDER_WAY.least + MOST_OF_PARTNER.beyond)
  expect(sum([...own, ...others])).toBe(13 * UNDER_WAY.least + MOST_SOCKETS.beyond)
  expect(lanes.underWay()).toBe(13 * UNDER_WAY.least + MOST_SOCKETS.beyond)
})

it('give every endpoint its first four requests while fast ones have taken all other places, and hang', () => {
  const { lanes, underWay, add, serve, rounds, hang } = world()
  const fast = Array.from({ length: 10 }, (_, n) => add(`one-${n}`))
  serve()
  rounds(150)
  for (const ms of [0, 500, 1_500]) {
    hang(ms)
    const more = Array.from({ length: 5 }, (_, n) => add(`new-${ms}-${n}`))
    serve()
    expect(more.map(({ underWay }) => underWay)).toEqual(more.map(() => UNDER_WAY.least))
  }
  rounds(1)
  // They took longer than a second.
  expect(fast.map(({ underWay }) => underWay)).toEqual(fast.map(() => UNDER_WAY.least))
  expect(lanes.underWay()).toBe(underWay())
})
