import { expect, it } from 'vitest'
import { MOST_REPLAYS, planReplay } from '../../../server/webhooks/plan-replay.ts'

const endless = { number: 0, after: 500, upTo: undefined }
const feed = (number: number, after: number, upTo: number) => ({ number, after, upTo })

it.each([
  ['beside the endless one', [endless], { after: 10, upTo: 20 }],
  ['beside one that has passed its beginning', [endless, feed(1, 11, 20)], { after: 10, upTo: 20 }],
  ['beside one that ends before', [endless, feed(1, 10, 19)], { after: 10, upTo: 20 }],
])('adds a feed %s', (_, feeds, range) => {
  expect(planReplay(feeds, range)).toEqual({ ...range, replaces: undefined })
})

it.each([
  ['the same range', { after: 10, upTo: 20 }],
  ['a part of it', { after: 12, upTo: 13 }],
])('adds none for %s, which is still to be sent', (_, range) => {
  expect(planReplay([endless, feed(1, 10, 20)], range)).toBeUndefined()
})

it('takes a range into the newest feed when there are as many as there may be', () => {
  const feeds = Array.from({ length: MOST_REPLAYS }, (_, n) => feed(n + 3, 100 * n, 100 * n + 50))
  const newest = { number: MOST_REPLAYS + 2, after: 100 * (MOST_REPLAYS - 1) }
  expect(planReplay([endless, ...feeds], { after: 7, upTo: 60 })).toEqual({
    ...{ after: 7, upTo: newest.after + 50, replaces: newest.number },
  })
  expect(planReplay([endless, ...feeds.slice(1)], { after: 7, upTo: 60 })).toMatchObject({
    replaces: undefined,
  })
})
